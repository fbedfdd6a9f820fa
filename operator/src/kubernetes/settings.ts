import { KUBERNETES_SETTINGS } from '@svc-asr/kubernetes';
import { integer, text } from '@svc-asr/runtime';
import type { ValuesOf } from '@svc-asr/runtime';

/** Settings of the operator that are about the Kubernetes API. */
export const CLUSTER_API_SETTINGS = {
  ...KUBERNETES_SETTINGS,
  WATCH_MIN_SECONDS: integer('A watch is asked for a random time: the least.', 300, 1, 86_400),
  WATCH_MAX_SECONDS: integer('A watch is asked for a random time: the most.', 600, 1, 86_400),
  WATCH_IDLE_TIMEOUT_MS: integer(
    'A watch of which nothing came for so long, not even a bookmark (one a minute), is taken for dead.',
    90_000,
    100,
    3_600_000,
  ),
  WATCH_MIN_INTERVAL_MS: integer('No two watches of one kind begin closer to each other.', 1000, 1, 60_000),
  RELIST_SECONDS: integer(
    'Everything is listed anew after this time, in case an event was ever lost.',
    3600,
    1,
    604_800,
  ),
  LEASE_NAME: text('Name of the Lease by which one of several operators leads.', 'svc-asr-operator'),
  LEASE_SECONDS: integer('How long the others wait for a leader that is silent.', 15, 1, 3600),
  LEASE_RENEW_MS: integer(
    'A leader that could not renew its lease for so long stops writing until it has; it ends when another one leads. Less than LEASE_SECONDS.',
    10_000,
    50,
    3_600_000,
  ),
  LEASE_RETRY_MS: integer('Time between two tries to get or renew the lease.', 2000, 10, 600_000),
  STATUS_BALANCE_INTERVAL_MS: integer(
    'Balances of Tenants and the last use of ApiKeys are written into their status no more often than this, and only when they changed.',
    60_000,
    10,
    86_400_000,
  ),
  STATUS_LOAD_INTERVAL_MS: integer(
    'The load of an ASRModel is written into its status no more often than this, and only when it changed.',
    10_000,
    10,
    86_400_000,
  ),
} as const;

export type ClusterApiSettings = ValuesOf<typeof CLUSTER_API_SETTINGS>;

/** Throws when times do not go together. */
export function checkTimes(settings: ClusterApiSettings): void {
  const { LEASE_SECONDS, LEASE_RENEW_MS, LEASE_RETRY_MS, WATCH_MIN_SECONDS, WATCH_MAX_SECONDS } = settings;
  if (LEASE_RENEW_MS >= LEASE_SECONDS * 1000) {
    throw new Error('LEASE_RENEW_MS must be less than LEASE_SECONDS: a leader has to stop before another one begins');
  }
  if (2 * LEASE_RETRY_MS >= LEASE_RENEW_MS) {
    throw new Error('LEASE_RETRY_MS must be less than half of LEASE_RENEW_MS: one lost request must not cost the lead');
  }
  if (WATCH_MIN_SECONDS > WATCH_MAX_SECONDS) throw new Error('WATCH_MIN_SECONDS must not be above WATCH_MAX_SECONDS');
}
