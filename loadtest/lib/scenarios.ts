import type { OptionName } from './options.ts';

/** A load test scenario. The k6 script of the same name creates its load. */
export interface Scenario {
  readonly summary: string;
  /** Default options that differ from the general ones. */
  readonly defaults: Readonly<Partial<Record<OptionName, string>>>;
  /** Whether the command fails if a latency target is missed. Incorrect results always make the command fail. */
  readonly requiresLatency: boolean;
  /** Whether the service may refuse sessions with 429 or 503 and Retry-After, or close a queued session with 4503. */
  readonly mayBeRefused: boolean;
  /** Whether the number of streams follows the declared slots. Needs `Service.readSlots`, and STREAMS must be empty. */
  readonly followsSlots: boolean;
}

export const SCENARIOS = {
  smoke: {
    summary: 'A few streams with one session each. Checks correctness and only prints latencies.',
    defaults: { STREAMS: '4', SESSION_SECONDS: '12', SPREAD_SECONDS: '2', TENANTS: '2' },
    requiresLatency: false,
    mayBeRefused: false,
    followsSlots: false,
  },
  steady: {
    summary: 'As many streams as slots are declared at each moment. The latency targets must be met.',
    defaults: {},
    requiresLatency: true,
    mayBeRefused: false,
    followsSlots: true,
  },
  'ramp-to-saturation': {
    summary:
      'Adds streams until a latency target is missed. Reports the number of streams at that moment, and the declared slots.',
    defaults: { SPREAD_SECONDS: '5' },
    requiresLatency: false,
    mayBeRefused: true,
    followsSlots: false,
  },
  spike: {
    summary: 'Triples the streams for a short time. The service must serve each session that it does not refuse.',
    defaults: { LOAD_PERCENT: '50', DURATION_SECONDS: '90', SPREAD_SECONDS: '1' },
    requiresLatency: false,
    mayBeRefused: true,
    followsSlots: false,
  },
  soak: {
    summary:
      'Half an hour at 70 % of the declared slots. The latency targets must be met to the end. Memory, sockets and keys in Redis of a service that was started for the run must not grow.',
    defaults: { DURATION_SECONDS: '1800', LOAD_PERCENT: '70', SESSION_SECONDS: '60' },
    requiresLatency: true,
    mayBeRefused: false,
    followsSlots: true,
  },
  'noisy-tenant': {
    summary:
      'One tenant exceeds its limits by a factor of 100 in every second period. The p95 latencies of the other tenants must stay within 110 % of those in the quiet periods.',
    defaults: { LOAD_PERCENT: '25', DURATION_SECONDS: '300', SESSION_SECONDS: '5', TENANTS: '4' },
    requiresLatency: true,
    mayBeRefused: false,
    followsSlots: false,
  },
  'mixed-latency': {
    summary: 'Concurrent streams with small and large contexts. Each context must meet the latency targets.',
    defaults: { LOAD_PERCENT: '25', CONTEXTS: '56,13;56,6;56,3;56,1;56,0' },
    requiresLatency: true,
    mayBeRefused: false,
    followsSlots: true,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

/** Returns whether a scenario of that name exists. */
export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}
