import { choice, integer, text } from './settings.ts';
import type { ValuesOf } from './settings.ts';
import { TELEMETRY_SETTINGS } from './telemetry/settings.ts';

/** Settings of every service. */
export const SERVICE_SETTINGS = {
  LOG_LEVEL: choice('How much is logged.', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  ADMIN_HOST: text('IP address that the admin port listens on.', '::'),
  ADMIN_PORT: integer('Port of /livez, /readyz and /metrics. 0 chooses a free port.', 9090, 0, 65_535),
  ...TELEMETRY_SETTINGS,
} as const;

/** Settings of every service that uses Redis. */
export const REDIS_SETTINGS = {
  REDIS_URL: text(
    'Address of Redis 7 or Valkey: redis://, rediss:// (TLS), or several of them separated by commas for Redis Cluster. With Sentinel, the addresses of the sentinels: rediss+sentinel://HOST:26379/PRIMARY, separated by commas. May contain a user name and password.',
    'redis://127.0.0.1:6379',
    { secret: true },
  ),
  REDIS_KEY_PREFIX: text(
    'Prefix of every key. Several installations with different prefixes can share one Redis.',
    'svc',
  ),
  REDIS_TIMEOUT_MS: integer('Timeout of one Redis command.', 1000, 10, 60_000),
} as const;

/** Settings for the retention of the ledger's data. They must be the same for all services of an installation. */
export const LEDGER_SETTINGS = {
  RECENT_RETENTION_DAYS: integer(
    'Number of days from the last session of a tenant until its list of recent sessions is deleted.',
    30,
    1,
    3650,
  ),
  USAGE_RETENTION_DAYS: integer('Number of days for which the usage of a day is kept.', 400, 1, 36_500),
  JOURNAL_ENTRIES_RETAINED: integer(
    'Maximum number of journal entries of a tenant in Redis, if the journal is not exported. A session has two entries.',
    2000,
    100,
    1_000_000,
  ),
  JOURNAL_BACKLOG_ENTRIES: integer(
    'Maximum number of journal entries of a tenant in Redis after the first export of its journal. Beyond this number, the oldest entries are deleted from Redis even if they were not exported.',
    20_000,
    100,
    10_000_000,
  ),
} as const;

/** Converts the settings to constants of the ledger's Lua scripts. */
export function ledgerConstants(settings: ValuesOf<typeof LEDGER_SETTINGS>) {
  return {
    RECENT_RETENTION_MS: settings.RECENT_RETENTION_DAYS * 86_400_000,
    USAGE_RETENTION_DAYS: settings.USAGE_RETENTION_DAYS,
    JOURNAL_ENTRIES_RETAINED: settings.JOURNAL_ENTRIES_RETAINED,
    JOURNAL_BACKLOG_ENTRIES: settings.JOURNAL_BACKLOG_ENTRIES,
  };
}
