/** An option that is set by an environment variable. */
export interface LoadOption {
  readonly fallback: string;
  readonly description: string;
}

/**
 * Options of the load tests. A scenario may have its own defaults (scenarios.ts). Environment variables override all
 * defaults. `npm run docs` writes this table to docs/load-testing.md.
 */
export const LOAD_OPTIONS = {
  // These options select the service.
  BASE_URL: {
    fallback: '',
    description:
      'Address of the API. If empty, the run uses the service of `npm start` on this machine. If none is running, the run starts a service.',
  },
  ADMIN_URL: { fallback: '', description: "Address of the console's admin API. Required with BASE_URL." },
  ADMIN_TOKEN: {
    fallback: '',
    description:
      'Bearer token of the admin API. Required with BASE_URL. ADMIN_TOKEN_FILE may name a file that contains it.',
  },
  CA_FILE: {
    fallback: '',
    description: 'PEM file of the CA that signed the certificate of BASE_URL. If empty, the CAs of the system.',
  },
  ADMIN_CA_FILE: {
    fallback: '',
    description: 'PEM file of the CA that signed the certificate of ADMIN_URL. If empty, the CAs of the system.',
  },
  STREAM_ORIGIN: {
    fallback: '',
    description:
      'Replaces the origin of `websocket_url`, for example ws://10.0.0.7:8443. Set it if this machine cannot resolve the host of `websocket_url` to the service.',
  },
  MODEL: { fallback: 'svc-asr-kikuyu-v1', description: 'Model that the streams use.' },
  PROVIDER: {
    fallback: 'cpu',
    description: 'Execution provider of the worker if a service is started for the run: cpu, or cuda with a GPU.',
  },
  RECORDINGS: {
    fallback: '',
    description:
      'Folder with recordings (mono, 16 kHz, 16-bit WAV), each with its transcript in a .txt file of the same name. If empty, the recordings of the bundled model MODEL, or those of the Kikuyu model if MODEL is not bundled.',
  },
  DECLARED_SLOTS: {
    fallback: '',
    description:
      'Sum of the slots that the workers of the model declared (`kubectl get asrmodel NAME -o jsonpath={.status.slots.total}`). If empty, they are read from the operator.',
  },
  OPERATOR_URL: {
    fallback: '',
    description:
      "Address of the operator's admin port, whose metrics contain the declared slots. If empty, the operator of `npm start`.",
  },

  // These options define the load.
  STREAMS: { fallback: '', description: 'Number of concurrent streams. If empty, LOAD_PERCENT of the declared slots.' },
  LOAD_PERCENT: { fallback: '100', description: 'Share of the declared slots to use if STREAMS is empty.' },
  DURATION_SECONDS: {
    fallback: '120',
    description: 'Time during which sessions are started. Running sessions are then finished.',
  },
  SESSION_SECONDS: {
    fallback: '30',
    description:
      'Minimum audio per session (1 to 280). A session streams recordings, with a flush after each, until it reaches this length.',
  },
  SPREAD_SECONDS: { fallback: '10', description: 'Time over which the first sessions are started.' },
  PAUSE_MS: {
    fallback: '1000',
    description:
      'Pause between two sessions of a virtual user. It is needed because the slot of a session is released only shortly after the session ends.',
  },
  FRAME_MS: { fallback: '100', description: 'Audio in one frame (10 to 1000).' },
  TENANTS: { fallback: '1', description: 'Tenants that share the streams.' },
  CONTEXTS: {
    fallback: '',
    description:
      'Contexts that streams request in turn, as left,right pairs separated by semicolons. If empty, streams request no context.',
  },
  SPIKE_PERCENT: { fallback: '300', description: 'spike: streams during the spike, in percent of STREAMS.' },
  SPIKE_SECONDS: { fallback: '30', description: 'spike: duration of the spike.' },
  NOISE_FACTOR: { fallback: '100', description: 'noisy-tenant: factor by which the noisy tenant exceeds its limits.' },
  PERIOD_SECONDS: {
    fallback: '15',
    description:
      'noisy-tenant: length of each quiet and noisy period. DURATION_SECONDS is rounded down to pairs of periods.',
  },
  RAMP_START_PERCENT: {
    fallback: '70',
    description: 'ramp-to-saturation: first step, in percent of the declared slots.',
  },
  RAMP_STEP_PERCENT: {
    fallback: '10',
    description: 'ramp-to-saturation: increase per step, in percent of the declared slots.',
  },
  RAMP_STEP_SECONDS: {
    fallback: '60',
    description:
      'ramp-to-saturation: length of a step. The first SPREAD_SECONDS are not measured. On a shared machine the remaining time should be long enough to include slow moments.',
  },
  RAMP_MAX_PERCENT: {
    fallback: '200',
    description: 'ramp-to-saturation: last step, in percent of the declared slots.',
  },

  // Latency targets and limits by which a run is judged, and options of the run itself.
  DELTA_P95_MS: { fallback: '300', description: 'Latency target: 95 % of deltas arrive within this time.' },
  FINAL_P95_MS: { fallback: '600', description: 'Latency target: 95 % of finals arrive within this time.' },
  READY_P95_MS: { fallback: '1000', description: 'Latency target: 95 % of ready events arrive within this time.' },
  LAG_P95_MS: {
    fallback: '50',
    description:
      'Limit for the delay of a frame after the time at which k6 should send it. If more than 5 % of the frames exceed the limit, the run is void, because k6 was too slow.',
  },
  SETTLE_SECONDS: { fallback: '30', description: 'Time in which the balances must be settled after the last stream.' },
  SLOW_STOP_MS: { fallback: '700', description: '--slow-worker: time that the worker is stopped in each cycle.' },
  SLOW_RUN_MS: { fallback: '300', description: '--slow-worker: time that the worker runs in each cycle.' },
  K6: {
    fallback: '',
    description: 'Path of the k6 program. If empty, the pinned version, which is built if it is missing.',
  },
} as const satisfies Record<string, LoadOption>;

export type OptionName = keyof typeof LOAD_OPTIONS;
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Creates a reader of options. The value in the environment comes first, then the default of the scenario, then the
 * general default.
 */
export function createOptions(env: Environment, defaults: Readonly<Partial<Record<OptionName, string>>>) {
  const text = (name: OptionName): string => {
    const given = env[name];
    return given === undefined || given === '' ? (defaults[name] ?? LOAD_OPTIONS[name].fallback) : given;
  };
  const optional = (name: OptionName, min: number, max: number): number | undefined => {
    const value = text(name);
    if (value === '') return undefined;
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`${name}=${value} must be a whole number from ${min} to ${max}`);
    }
    return number;
  };
  const whole = (name: OptionName, min: number, max: number): number => {
    const number = optional(name, min, max);
    if (number === undefined) throw new Error(`${name} must be a whole number from ${min} to ${max}`);
    return number;
  };
  return { text, optional, whole };
}

export type Options = ReturnType<typeof createOptions>;

/** Reads contexts such as `56,13;56,0`. */
export function parseContexts(text: string): [number, number][] {
  const parts = text.split(';').filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const [, left, right] = /^\s*(\d+)\s*,\s*(\d+)\s*$/.exec(part) ?? [];
    if (left === undefined || right === undefined) throw new Error(`CONTEXTS: "${part}" is not a pair like 56,13`);
    return [Number(left), Number(right)];
  });
}
