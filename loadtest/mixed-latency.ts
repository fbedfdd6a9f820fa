// Runs the same load as the scenario steady, but the plan lists several contexts. The streams request them in turn, and
// each context has its own latency threshold.
export { options, default, handleSummary } from './steady.ts';
