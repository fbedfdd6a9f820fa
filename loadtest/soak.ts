// Same load as steady, but longer and below the declared slots.
export { options, default, handleSummary } from './steady.ts';
