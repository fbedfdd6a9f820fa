import { SOON_MS } from '../e2e/harness.ts';
import type { Harness } from '../e2e/harness.ts';
import { eventually } from '../support/eventually.ts';

const SENTINEL = '"$CLIENT" --tls --cacert "$TLS/ca.crt" -p 26379 --user sentinel --no-auth-warning';
const SERVER = '"$CLIENT" --tls --cacert "$TLS/ca.crt" -p 6379 --user sentinel --no-auth-warning';
const PODS = ['svc-asr-redis-0', 'svc-asr-redis-1', 'svc-asr-redis-2'];

/** The servers and sentinels of a replicated Redis of the chart. */
export interface RedisServers {
  /**
   * Waits until the sentinels of all pods report the same server as the primary, and this server itself reports that it
   * is a primary. Resolves with the pod of the server. The sentinel of the pod `without` is not asked, and this pod
   * cannot be the primary.
   */
  findPrimary: (without?: string) => Promise<string>;
  /** Waits until two replicas of the primary have copied its data. */
  untilReplicated: () => Promise<void>;
  /** Asks a sentinel for a planned failover; resolves with the pod of the new primary. */
  failOver: () => Promise<string>;
}

/** Creates the access to the replicated Redis. Commands run inside its pods. */
export function openServers(harness: Harness): RedisServers {
  // Commands run in the container of Redis. It has redis-cli, the passwords and the CA, because scripts of the chart
  // use them there.
  const run = (pod: string, command: string) =>
    harness.kubectl(
      ['exec', pod, '-c', 'redis', '--', 'sh', '-c', `REDISCLI_AUTH="$(cat "$SECRETS/sentinel-password")" ${command}`],
      { timeoutMs: 20_000 },
    );
  const reportedBy = async (pod: string) => {
    const [host = ''] = (await run(pod, `${SENTINEL} sentinel get-master-addr-by-name ledger`)).split('\n');
    return host.split('.')[0] ?? '';
  };
  /**
   * Asks the sentinels for the primary once. Resolves with the pod of the primary, or with undefined if the sentinels
   * do not agree or the server is no primary yet. `without` has the same meaning as for `findPrimary`.
   */
  async function agreed(without: string | undefined): Promise<string | undefined> {
    try {
      const asked = PODS.filter((pod) => pod !== without);
      const [first, ...others] = await Promise.all(asked.map(reportedBy));
      if (first === undefined || first === without || others.some((other) => other !== first)) return undefined;
      return (await run(first, `${SERVER} info replication`)).includes('role:master') ? first : undefined;
    } catch {
      // A pod that starts or ends does not answer.
      return undefined;
    }
  }
  const findPrimary = (without?: string) =>
    eventually('the sentinels agree on a primary', SOON_MS, () => agreed(without));
  return {
    findPrimary,
    untilReplicated: async () => {
      await eventually('two replicas have copied the data', SOON_MS, async () => {
        const primary = await agreed(undefined);
        if (primary === undefined) return false;
        const replication = await run(primary, `${SERVER} info replication`).catch(() => '');
        return replication.match(/state=online/g)?.length === 2;
      });
    },
    failOver: async () => {
      const before = await findPrimary();
      await eventually('a sentinel starts the failover', SOON_MS, async () =>
        (await run(before, `${SENTINEL} sentinel failover ledger`).catch(() => '')).startsWith('OK'),
      );
      return eventually('another server is the primary', SOON_MS, async () => {
        const now = await agreed(undefined);
        return now !== before && now;
      });
    },
  };
}
