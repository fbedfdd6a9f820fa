// Runs the same kind of load as the scenario steady, but for a longer time and with fewer streams than declared slots.
export { options, default, handleSummary } from './steady.ts';
