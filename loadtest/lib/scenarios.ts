import type { KnobName } from './knobs.ts';

/** What a scenario is, apart from its k6 script of the same name. */
export interface Scenario {
  readonly what: string;
  /** Where its knobs differ from the general defaults. */
  readonly defaults: Readonly<Partial<Record<KnobName, string>>>;
  /** Whether a broken promise fails the command; correctness always does. */
  readonly holdsPromises: boolean;
  /** Whether the service may say "too many": 429 or 503 with Retry-After, and 4503 to one that waited. */
  readonly mayBeRefused: boolean;
}

export const SCENARIOS = {
  smoke: {
    what: 'A few streams, one session each: everything is right, latencies are only printed.',
    defaults: { STREAMS: '4', SESSION_SECONDS: '12', SPREAD_SECONDS: '2', TENANTS: '2' },
    holdsPromises: false,
    mayBeRefused: false,
  },
  steady: {
    what: 'As many streams as the workers declared slots: the promises hold.',
    defaults: {},
    holdsPromises: true,
    mayBeRefused: false,
  },
  'ramp-to-saturation': {
    what: 'More and more streams until a promise breaks: tells how many that is, beside the declared slots.',
    defaults: { SPREAD_SECONDS: '5' },
    holdsPromises: false,
    mayBeRefused: true,
  },
  spike: {
    what: 'Suddenly three times the streams: whoever is not refused is served, and afterwards all is as before.',
    defaults: { LOAD_PERCENT: '50', DURATION_SECONDS: '90', SPREAD_SECONDS: '1' },
    holdsPromises: false,
    mayBeRefused: true,
  },
  soak: {
    what: 'An hour at 70 % of the slots: the promises hold to the end.',
    defaults: { DURATION_SECONDS: '3600', LOAD_PERCENT: '70', SESSION_SECONDS: '60' },
    holdsPromises: true,
    mayBeRefused: false,
  },
  'noisy-tenant': {
    what: 'One tenant sends as fast as it can: the promises to the others hold.',
    defaults: { LOAD_PERCENT: '25' },
    holdsPromises: true,
    mayBeRefused: true,
  },
  'mixed-latency': {
    what: 'Streams with small and large contexts side by side: the promises hold for each.',
    defaults: { LOAD_PERCENT: '25', CONTEXTS: '56,13;56,6;56,3;56,1;56,0' },
    holdsPromises: true,
    mayBeRefused: false,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

/** Whether there is a scenario of that name. */
export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}
