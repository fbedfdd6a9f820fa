// Same load as steady, but longer and below the declared slots.
export { options, default } from './steady.ts';
