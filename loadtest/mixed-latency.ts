// Same load as steady. The streams request the contexts of the plan, each of which has its own latency threshold.
export { options, default, handleSummary } from './steady.ts';
