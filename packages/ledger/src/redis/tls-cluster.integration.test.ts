import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createCertificate } from '../../../../test/support/certificate.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { createTenant, openLedger, reserved } from '../../../../test/support/ledger.ts';
import { freePort } from '../../../../test/support/ports.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import type { TestRedis } from '../../../../test/support/redis.ts';
import { ask } from '../../../../test/support/redis-cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-asr-tls-'));
const trusted = getCACertificates('default');
let redis: TestRedis;
let url: string;

beforeAll(async () => {
  const { cert, key } = await createCertificate();
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  setDefaultCACertificates([...trusted, cert]);
  const [tlsPort, bus] = [await freePort(), await freePort()];
  const tls = ['--tls-port', String(tlsPort), '--tls-cert-file', certFile, '--tls-key-file', keyFile];
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-announce-ip', '127.0.0.1'];
  // With `tls-cluster`, Redis announces its TLS port to clients that request the list of nodes.
  const who = ['--tls-ca-cert-file', certFile, '--tls-auth-clients', 'no', '--tls-cluster', 'yes'];
  redis = await startRedis([...tls, ...who, ...cluster]);
  await ask(redis.port, 'CLUSTER ADDSLOTSRANGE 0 16383');
  const isWhole = async () => (await ask(redis.port, 'CLUSTER INFO')).includes('cluster_state:ok');
  await eventually('the cluster is complete', 30_000, isWhole);
  // `connectRedis` treats two addresses separated by a comma as a cluster.
  url = `rediss://127.0.0.1:${tlsPort},rediss://localhost:${tlsPort}`;
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await redis.stop();
  rmSync(folder, { recursive: true });
});

test('connectRedis uses TLS for all nodes of a Redis Cluster, including those that the cluster announces', async () => {
  const ledger = await openLedger(url);
  try {
    const tenant = await createTenant(ledger, 60_000);
    await reserved(ledger, tenant);
    expect((await ledger.accounts.usage(tenant))!.balance.reservedMs).toBeGreaterThan(0);
  } finally {
    await ledger.link.close();
  }
});
