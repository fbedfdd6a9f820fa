import { choice, integer, text } from './settings.ts';

/** Settings that every service has. */
export const SERVICE_SETTINGS = {
  LOG_LEVEL: choice('How much is logged.', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  ADMIN_HOST: text('Address that the admin port listens on.', '::'),
  ADMIN_PORT: integer('Port of /livez, /readyz and /metrics; 0 takes a free one.', 9090, 0, 65_535),
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
