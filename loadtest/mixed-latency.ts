// Runs the same load as the scenario steady. The streams request the contexts of the plan, and each context has its own
// latency threshold.
export { options, default, handleSummary } from './steady.ts';
