// Same load as steady. The streams request the contexts of the plan. Each context has its own latency threshold.
export { options, default, handleSummary } from './steady.ts';
