import { KUBERNETES_SETTINGS } from '@svc-asr/kubernetes';
import { integer, list, text } from '@svc-asr/runtime';
import type { Setting, ValuesOf } from '@svc-asr/runtime';

/** Settings of the operator for the Kubernetes API. They include KUBERNETES_SETTINGS, which the console also has. */
export const CLUSTER_API_SETTINGS = {
  ...KUBERNETES_SETTINGS,
  MODEL_NAMESPACES: namespaces(
    'Further namespaces that may contain ASRModels, besides NAMESPACE. The workers of a model run in the namespace of its ASRModel.',
  ),
  MODEL_NAMESPACE_TIMEOUT_MS: integer(
    'Longest time for which a starting operator waits for the objects of MODEL_NAMESPACES. Afterwards it serves the models of the namespaces that it could list.',
    15_000,
    100,
    600_000,
  ),
  WATCH_MIN_SECONDS: integer('Minimum of the random time for which a watch is requested.', 300, 1, 86_400),
  WATCH_MAX_SECONDS: integer('Maximum of the random time for which a watch is requested.', 600, 1, 86_400),
  WATCH_IDLE_TIMEOUT_MS: integer(
    'Time without any data, not even a bookmark (one per minute), after which a watch counts as dead.',
    90_000,
    100,
    3_600_000,
  ),
  WATCH_MIN_INTERVAL_MS: integer('Minimum time between the starts of two watches of a kind.', 1000, 1, 60_000),
  RELIST_SECONDS: integer('Interval at which everything is listed again, in case an event was lost.', 3600, 1, 604_800),
  LEASE_NAME: text('Name of the Lease for the leader election.', 'svc-asr-operator'),
  LEASE_SECONDS: integer('Time after the last renewal at which another operator may become the leader.', 15, 1, 3600),
  LEASE_RENEW_MS: integer(
    'Time without renewal after which a leader stops writing. It resumes after a renewal, and exits if another operator has become the leader. Must be less than LEASE_SECONDS.',
    10_000,
    50,
    3_600_000,
  ),
  LEASE_RETRY_MS: integer('Time between two attempts to acquire or renew the lease.', 2000, 10, 600_000),
  STATUS_BALANCE_INTERVAL_MS: integer(
    'Minimum interval between two writes of the balance of a Tenant, or the last use of an ApiKey, to its status. Unchanged values are not written.',
    60_000,
    10,
    86_400_000,
  ),
  STATUS_LOAD_INTERVAL_MS: integer(
    'Minimum interval between two writes of the load of an ASRModel to its status. Unchanged values are not written.',
    10_000,
    10,
    86_400_000,
  ),
} as const;

export type ClusterApiSettings = ValuesOf<typeof CLUSTER_API_SETTINGS>;

/** Throws if time settings contradict each other. */
export function checkTimes(settings: ClusterApiSettings): void {
  const { LEASE_SECONDS, LEASE_RENEW_MS, LEASE_RETRY_MS, WATCH_MIN_SECONDS, WATCH_MAX_SECONDS } = settings;
  if (LEASE_RENEW_MS >= LEASE_SECONDS * 1000) {
    throw new Error('LEASE_RENEW_MS must be less than LEASE_SECONDS, so that a leader stops before another one starts');
  }
  if (2 * LEASE_RETRY_MS >= LEASE_RENEW_MS) {
    throw new Error(
      'LEASE_RETRY_MS must be less than half of LEASE_RENEW_MS, so that one lost request does not cost leadership',
    );
  }
  if (WATCH_MIN_SECONDS > WATCH_MAX_SECONDS)
    throw new Error('WATCH_MIN_SECONDS must not be greater than WATCH_MAX_SECONDS');
}

function namespaces(description: string): Setting<string[]> {
  const { read } = list('');
  return {
    description: `${description} Separated by commas.`,
    fallback: '',
    read: (value) => {
      const names = read(value);
      for (const name of names) {
        if (name.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
          throw new Error(`"${name}" is not the name of a namespace: use lower-case letters, digits and -`);
        }
      }
      return [...new Set(names)];
    },
  };
}
