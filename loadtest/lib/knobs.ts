/** A value that is set by an environment variable. */
export interface Knob {
  readonly fallback: string;
  readonly description: string;
}

/**
 * Every knob of the load tests. A scenario may have defaults of its own (scenarios.ts); the environment wins over both.
 * docs/load-testing.md holds the same table, which a test compares.
 */
export const KNOBS = {
  // Where the service is.
  BASE_URL: {
    fallback: '',
    description:
      'Address of the API. Empty: the service that `npm start` runs here, and one of its own when none runs.',
  },
  ADMIN_URL: { fallback: '', description: "Address of the console's admin API; needed with BASE_URL." },
  ADMIN_TOKEN: {
    fallback: '',
    description: 'Its bearer token; needed with BASE_URL. ADMIN_TOKEN_FILE names a file with it.',
  },
  CA_FILE: {
    fallback: '',
    description: 'Authority (PEM) that signed the certificates of BASE_URL and ADMIN_URL. Empty: those of the system.',
  },
  STREAM_ORIGIN: {
    fallback: '',
    description:
      'Such as ws://10.0.0.7:8443: used instead of the origin of `websocket_url` where that name does not lead to the service from here.',
  },
  MODEL: { fallback: 'svc-asr-kikuyu-v1', description: 'The model that is spoken to.' },
  PROVIDER: {
    fallback: 'cpu',
    description: 'Execution provider of the worker in a service of its own: cpu, or cuda where there is a GPU.',
  },
  RECORDINGS: {
    fallback: '',
    description:
      'Folder with recordings (mono, 16 kHz, 16-bit WAV) and, beside each, a .txt with what is said. Empty: those of the bundled model of that name, else the Kikuyu ones.',
  },
  DECLARED_SLOTS: {
    fallback: '',
    description:
      "Sum of the slots that the model's workers declared (`kubectl get asrmodel NAME -o jsonpath={.status.slots.total}`). Empty: read from the operator.",
  },
  OPERATOR_URL: {
    fallback: '',
    description:
      "Address of the operator's admin port, to read the declared slots from its metrics. Empty: that of `npm start`.",
  },

  // How much is spoken.
  STREAMS: { fallback: '', description: 'Streams at a time. Empty: LOAD_PERCENT of the declared slots.' },
  LOAD_PERCENT: { fallback: '100', description: 'Share of the declared slots that is used where STREAMS is empty.' },
  DURATION_SECONDS: { fallback: '120', description: 'How long sessions are begun; those that run then are finished.' },
  SESSION_SECONDS: {
    fallback: '30',
    description:
      'Least audio of a session: recordings follow each other, each flushed, until it is reached (1 to 280).',
  },
  SPREAD_SECONDS: { fallback: '10', description: 'Time over which the first sessions begin.' },
  PAUSE_MS: {
    fallback: '1000',
    description: 'Pause between two sessions of a stream; the place of the first is free a moment after its end.',
  },
  FRAME_MS: { fallback: '100', description: 'Audio in one frame (10 to 1000).' },
  TENANTS: { fallback: '1', description: 'Tenants that share the streams.' },
  CONTEXTS: {
    fallback: '',
    description:
      'Contexts that streams ask for in turn, as left,right pairs separated by semicolons. Empty: none is asked for.',
  },
  SPIKE_PERCENT: { fallback: '300', description: 'spike: streams at the height of it, in percent of STREAMS.' },
  SPIKE_SECONDS: { fallback: '30', description: 'spike: how long it stays at that height.' },
  NOISY_STREAMS: {
    fallback: '',
    description: 'noisy-tenant: streams of the tenant that sends as fast as it can. Empty: as many as STREAMS.',
  },
  RAMP_START_PERCENT: { fallback: '70', description: 'ramp: first step, in percent of the declared slots.' },
  RAMP_STEP_PERCENT: { fallback: '10', description: 'ramp: what each step adds, in percent of the declared slots.' },
  RAMP_STEP_SECONDS: {
    fallback: '60',
    description:
      'ramp: length of a step. The first SPREAD_SECONDS do not count; in what is left a machine that others use should have been slow too.',
  },
  RAMP_MAX_PERCENT: { fallback: '200', description: 'ramp: last step, in percent of the declared slots.' },

  // What is promised, and what is worth nothing.
  DELTA_P95_MS: { fallback: '300', description: 'Promise: 95 % of deltas within this time.' },
  FINAL_P95_MS: { fallback: '600', description: 'Promise: 95 % of finals within this time.' },
  READY_P95_MS: { fallback: '1000', description: 'Promise: 95 % of ready events within this time.' },
  LAG_P95_MS: {
    fallback: '50',
    description:
      'When 5 % of frames left later than this after their time, the generator was too slow: the run is void.',
  },
  SETTLE_SECONDS: { fallback: '30', description: 'How long the books may take to be balanced after the last stream.' },
  SLOW_STOP_MS: { fallback: '700', description: '--slow-worker: how long the worker stands still in each turn.' },
  SLOW_RUN_MS: { fallback: '300', description: '--slow-worker: how long it runs in each turn.' },
  K6: { fallback: '', description: 'The k6 program. Empty: the pinned one, built when it is missing.' },
} as const satisfies Record<string, Knob>;

export type KnobName = keyof typeof KNOBS;
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads knobs: the environment, else the scenario's default, else the general one. */
export function createKnobs(env: Environment, defaults: Readonly<Partial<Record<KnobName, string>>>) {
  const text = (name: KnobName): string => {
    const given = env[name];
    return given === undefined || given === '' ? (defaults[name] ?? KNOBS[name].fallback) : given;
  };
  const optional = (name: KnobName, least: number, most: number): number | undefined => {
    const value = text(name);
    if (value === '') return undefined;
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw new Error(`${name}=${value} must be a whole number from ${least} to ${most}`);
    }
    return number;
  };
  const whole = (name: KnobName, least: number, most: number): number => {
    const number = optional(name, least, most);
    if (number === undefined) throw new Error(`${name} must be a whole number from ${least} to ${most}`);
    return number;
  };
  return { text, optional, whole };
}

export type Knobs = ReturnType<typeof createKnobs>;

/** Reads contexts such as `56,13;56,0`. */
export function parseContexts(text: string): [number, number][] {
  const parts = text.split(';').filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const [, left, right] = /^\s*(\d+)\s*,\s*(\d+)\s*$/.exec(part) ?? [];
    if (left === undefined || right === undefined) throw new Error(`CONTEXTS: "${part}" is not a pair like 56,13`);
    return [Number(left), Number(right)];
  });
}
