import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createCertificate } from '../../../../test/support/certificate.ts';
import { connected } from '../../../../test/support/connected.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { ask } from '../../../../test/support/redis-cluster.ts';
import { FAILOVER_TIMEOUT_MS, startSentinel } from '../../../../test/support/redis-sentinel.ts';
import type { TestSentinel } from '../../../../test/support/redis-sentinel.ts';
import { loadFunctions, withFunctions } from '../functions.ts';
import { createLedger } from '../ledger.ts';
import { connectRedis } from './connect.ts';
import { LedgerUnavailable } from './link.ts';
import type { RedisConnection } from './link.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-asr-tls-'));
const trusted = getCACertificates('default');
const CHANNEL = '{m:kikuyu}:n';
/** Rights of the user of Sentinel, as docs/redis-availability.md lists them. */
const SENTINEL_RIGHTS = '+sentinel|master +sentinel|get-master-addr-by-name +ping +client|setname +auth +hello';
const WORKER = { id: 'w1', address: 'ws://w1', revision: 'r1', slots: 2 };
let redis: TestSentinel;
let link: RedisConnection;

beforeAll(async () => {
  const { cert, key } = await createCertificate();
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  setDefaultCACertificates([...trusted, cert]);
  redis = await startSentinel({ tls: { certFile, keyFile } });
  for (const { port } of redis.servers) await ask(port, 'ACL SETUSER app on >p@ss ~* &* +@all');
  for (const port of redis.sentinelPorts) {
    await ask(port, `ACL SETUSER watch on >w@tch resetkeys resetchannels -@all ${SENTINEL_RIGHTS}`);
  }
  // The users and passwords in the first address apply to all servers and sentinels.
  const [first, ...others] = redis.url.replaceAll('://', '://app:p%40ss@').split(',');
  const url = [`${first}?sentinel_username=watch&sentinel_password=w%40tch`, ...others].join(',');
  link = connectRedis({ url, name: 'test', timeoutMs: 2000 });
  await connected(link, 60_000);
});
afterAll(async () => {
  await link.close();
  setDefaultCACertificates(trusted);
  await redis.stop();
  rmSync(folder, { recursive: true });
});

test('connectRedis authenticates with one user at Redis servers and another at sentinels, both with TLS', async () => {
  expect(await link.send('', ['ACL', 'WHOAMI'])).toBe('app');
  await eventually('all sentinels have a connection of their user', 30_000, async () => {
    const clients = await Promise.all(redis.sentinelPorts.map((port) => ask(port, 'CLIENT LIST')));
    return clients.every((list) => /name=test .*user=watch/.test(list));
  });
});

test('after a failover, connectRedis uses the new primary, which has the data and the functions of workers', async () => {
  const worker = createLedger(withFunctions(link), { prefix: 'test' });
  await loadFunctions(link.masters());
  await worker.workers.register('kikuyu', WORKER);
  const received = new Set<string>();
  const unsubscribe = await link.subscribe(CHANNEL, (message) => received.add(message));
  await eventually('the subscription works', 30_000, () => publish('before', received));

  const former = await redis.primary();
  await redis.untilReplicated();
  await ask(redis.sentinelPorts[0]!, 'SENTINEL FAILOVER ledger');
  const next = await redis.untilFailover(former);
  await eventually('the connection has followed', 30_000, () => isConnectedTo(next.port));
  expect(await loadFunctions(link.masters())).toBe(0);
  expect(await worker.workers.renew('kikuyu', 'w1')).toBe('ok');
  await eventually('the subscription has followed', 30_000, async () =>
    (await ask(next.port, `PUBSUB SHARDNUMSUB ${CHANNEL}`)).includes(':1\r\n'),
  );
  await eventually('a message of the new primary arrives', 30_000, () => publish('after', received));
  await unsubscribe();
  expect(await ask(next.port, `PUBSUB SHARDNUMSUB ${CHANNEL}`)).toContain(':0\r\n');
});

test('connectRedis closes the connection to a primary that became a replica, and works again after the next failover', async () => {
  const former = await redis.primary();
  const [other] = redis.servers.filter((server) => server !== former);
  await eventually('the connection is ready', 30_000, () => isConnectedTo(former.port));
  const id = String(await link.send('', ['CLIENT', 'ID']));
  // Without Sentinel, Redis does not close the connections of clients when it becomes a replica.
  await ask(former.port, `REPLICAOF 127.0.0.1 ${other!.port}`);
  await expect(link.send('k', ['SET', 'k', 'v'])).rejects.toThrow(LedgerUnavailable);
  await eventually('the connection to the replica has ended', 30_000, async () =>
    (await ask(former.port, `CLIENT LIST ID ${id}`)).startsWith('$0'),
  );
  await eventually('a primary accepts the write', FAILOVER_TIMEOUT_MS, async () => (await write('k')) === 'OK');
  await connected(link, 30_000);
});

const write = (key: string) => link.send(key, ['SET', key, 'v']).catch(() => undefined);

/** Publishes a message. Returns whether the subscription has received it. */
async function publish(message: string, received: ReadonlySet<string>): Promise<boolean> {
  await link.send(CHANNEL, ['SPUBLISH', CHANNEL, message]).catch(() => undefined);
  return received.has(message);
}

async function isConnectedTo(port: number): Promise<boolean> {
  const info = await link.send('', ['INFO', 'server']).catch(() => '');
  return String(info).includes(`tcp_port:${port}`);
}
