/** Number of processes of each kind. */
export const GATEWAYS = 2;
export const WORKERS = 3;
export const SENTINELS = 3;

/** Timeout of one Redis command. It is also the interval at which a service asks the sentinels for the primary. */
export const REDIS_TIMEOUT_MS = 2000;
/** Time without an answer after which the sentinels replace a primary. */
export const DOWN_AFTER_MS = 1500;

/** Duration of the lease of a gateway. It is the default of the service. */
export const LEASE_MS = 15_000;
/** Interval at which a gateway renews its lease. It is the default of the service. */
export const RENEW_MS = 5000;
/** Number of workers that an utterance may lose. It equals MAX_WORKER_FAILURES of the gateway. */
export const WORKERS_LOST_MAX = 2;

/**
 * Settings of all gateways. Credentials expire sooner than by default, which shortens the end of a run. The timeouts
 * and the request deadline are longer than by default, because the machine is busy with all processes of the run. The
 * leases have their default durations.
 */
export const GATEWAY_ENV = {
  SESSION_TTL_MS: '15000',
  PROCESS_LEASE_MS: String(LEASE_MS),
  LEASE_RENEW_MS: String(RENEW_MS),
  REDIS_TIMEOUT_MS: String(REDIS_TIMEOUT_MS),
  REQUEST_DEADLINE_MS: '3000',
  WORKER_OPEN_TIMEOUT_MS: '6000',
  WORKER_SILENCE_TIMEOUT_MS: '5000',
  STREAM_FINAL_TIMEOUT_MS: '20000',
} as const;

export const WORKER_ENV = {
  SLOTS: '32',
  LEAST_SLOTS_PERCENT: '100',
  MAX_BATCH: '4',
  MEASURE_SECONDS: '0',
  REDIS_TIMEOUT_MS: String(REDIS_TIMEOUT_MS),
} as const;

/**
 * Settings of the operator. No node runs the pods that it creates, because the run itself starts the workers. After the
 * end of an operator, the next one gets its lease sooner than by default.
 */
export const OPERATOR_ENV = {
  WORKER_IMAGE: 'example.invalid/worker:1',
  WORKER_REDIS_USERS: 'shared',
  LEASE_SECONDS: '6',
  LEASE_RENEW_MS: '4000',
  LEASE_RETRY_MS: '500',
  KUBERNETES_RETRY_MAX_MS: '1000',
} as const;
