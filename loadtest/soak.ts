// Runs the same load as the scenario steady, but for longer and with fewer streams than declared slots.
export { options, default, handleSummary } from './steady.ts';
