import { choice, integer, text } from './settings.ts';
import type { ValuesOf } from './settings.ts';
import { TELEMETRY_SETTINGS } from './telemetry/settings.ts';

/** Settings that every service has. */
export const SERVICE_SETTINGS = {
  LOG_LEVEL: choice('How much is logged.', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  ADMIN_HOST: text('Address that the admin port listens on.', '::'),
  ADMIN_PORT: integer('Port of /livez, /readyz and /metrics; 0 takes a free one.', 9090, 0, 65_535),
  ...TELEMETRY_SETTINGS,
} as const;

/** Settings of every service that speaks to Redis. */
export const REDIS_SETTINGS = {
  REDIS_URL: text(
    'Address of Redis 7 or Valkey: redis://, rediss:// (TLS), or several of them separated by commas for Redis Cluster. May hold user and password.',
    'redis://127.0.0.1:6379',
    { secret: true },
  ),
  REDIS_KEY_PREFIX: text('First part of every key, so that several installations can share one Redis.', 'svc'),
  REDIS_TIMEOUT_MS: integer('How long one Redis command may take before it counts as failed.', 1000, 10, 60_000),
} as const;

/** How long the ledger keeps what; the same for every service of an installation. */
export const LEDGER_SETTINGS = {
  SESSION_RETENTION_HOURS: integer(
    'How long a session that ended is known after recent_sessions forgot it.',
    24,
    1,
    8760,
  ),
  USAGE_RETENTION_DAYS: integer("How long a day's usage is kept.", 400, 1, 36_500),
  JOURNAL_CHECKPOINT_EVERY: integer('Entries of a journal between two checkpoints.', 1000, 10, 100_000),
  JOURNAL_CHECKPOINTS_RETAINED: integer('Checkpoints back that a journal reaches.', 10, 1, 100_000),
} as const;

/** The same as the ledger's scripts take them. */
export function ledgerConstants(settings: ValuesOf<typeof LEDGER_SETTINGS>) {
  return {
    SESSION_RETENTION_MS: settings.SESSION_RETENTION_HOURS * 3_600_000,
    USAGE_RETENTION_DAYS: settings.USAGE_RETENTION_DAYS,
    CHECKPOINT_EVERY: settings.JOURNAL_CHECKPOINT_EVERY,
    CHECKPOINTS_RETAINED: settings.JOURNAL_CHECKPOINTS_RETAINED,
  };
}
