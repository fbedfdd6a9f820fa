// The same load as steady, for longer and a little below what the workers declared.
export { options, default } from './steady.ts';
