import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { runAdmin } from './cli.ts';
import { runDocs } from './docs-commands.ts';
import { NAMESPACE, openHarness, SOON_MS, until } from './harness.ts';
import type { Harness } from './harness.ts';
import { openAccess, TENANT, underLiveStreams } from './live-streams.ts';
import { startPortForward } from './port-forward.ts';
import { buildModel, buildTenant } from './release.ts';
import type { Access } from './streams.ts';

const TIMEOUT_MS = 400_000;
const PAGE = 'operations.md';
/** Port of the API in a gateway pod. */
const GATEWAY_PORT = 8443;

/** Output of `svc-asr admin ledger status`. */
interface LedgerStatus {
  ledger_id: string | null;
  /** Balances that a rebuild would restore. */
  rebuild: { tenants: { tenant: string; granted_ms: number; consumed_ms: number | null }[] } | null;
}

const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let harness: Harness;
let access: Access;

beforeAll(async () => {
  harness = await openHarness();
  access = await openAccess(harness);
});
afterAll(() => rmSync(folder, { recursive: true }));

const readAccount = async () => (await harness.openAdmin()).account(TENANT);
const transcribe = (by: Access) => underLiveStreams(harness, by, () => Promise.resolve());
const readLedger = async () => JSON.parse(await runAdmin(harness, ['ledger', 'status', '--json'])) as LedgerStatus;

/** Requests the usage with a key. */
async function requestUsage(key: string, baseUrl = access.baseUrl) {
  const { status, body } = await send(`${baseUrl}/v1/usage`, {
    method: 'GET',
    ca: access.ca,
    headers: { authorization: `Bearer ${key}` },
  }).catch(() => ({ status: 0, body: {} }));
  return { status, body: body as { recent_sessions?: { status: string }[] } };
}

/** Waits until every gateway accepts a key. Each gateway notices on its own when Redis is available again. */
async function untilServed(key: string): Promise<void> {
  const gateways = ['-l', 'app.kubernetes.io/component=gateway', '-o', 'jsonpath={.items[*].metadata.name}'];
  const names = (await harness.kubectl(['get', 'pods', ...gateways])).split(' ');
  const waitFor = async (pod: string) => {
    const target = { namespace: NAMESPACE, pod, port: GATEWAY_PORT };
    const { port, close } = await startPortForward(harness.tools, target);
    await eventually(`${pod} accepts the key`, SOON_MS, async () => {
      return (await requestUsage(key, `https://localhost:${port}`)).status === 200;
    }).finally(close);
  };
  await Promise.all(names.map(waitFor));
}

const untilLedgerMissing = (status: 'True' | 'False') =>
  until(harness, `tenant/${TENANT}`, '.status.conditions[?(@.type=="LedgerMissing")].status', status);

/** Replaces the data of Redis by an empty database. */
async function loseData(): Promise<void> {
  await harness.kubectl(['exec', 'svc-asr-redis-0', '--', 'rm', '-rf', '/data/appendonlydir']);
  await harness.kubectl(['delete', 'pod', 'svc-asr-redis-0', '--grace-period=0', '--force']);
  await untilLedgerMissing('True');
  await eventually('the API returns 503', SOON_MS, async () => (await requestUsage(access.key)).status === 503);
}

test(
  'restoring a backup that was taken under load restores the account, and later grants and revocations are reapplied',
  async () => {
    const admin = await harness.openAdmin();
    const { ledger_id: ledgerId } = await readLedger();
    const { key: revoked } = await openAccess(harness);
    const before = await readAccount();
    await underLiveStreams(harness, access, async () => {
      await runDocs(harness, folder, PAGE, 'Backup of Redis');
    });
    const charged = (await readAccount()).credits.consumed_ms;
    expect(charged).toBeGreaterThan(before.credits.consumed_ms);
    await admin.revoke(revoked);
    const { key: later } = await openAccess(harness);
    const grant = [{ op: 'add', path: '/spec/grants/-', value: { id: randomUUID(), audioSeconds: 600 } }];
    await harness.kubectl(['patch', 'tenant', TENANT, '--type=json', '-p', JSON.stringify(grant)]);

    await loseData();
    await runDocs(harness, folder, PAGE, 'Restore of Redis');
    await untilLedgerMissing('False');
    expect((await readLedger()).ledger_id).toBe(ledgerId);
    const { granted_ms, consumed_ms } = before.credits;
    const restored = await eventually('the sessions of the backup have ended', SOON_MS, async () => {
      const now = await readAccount();
      return now.live_sessions === 0 && now.credits.granted_ms > granted_ms && now;
    });
    const credits = { granted_ms: granted_ms + 600_000, reserved_ms: 0, consumed_ms };
    expect(restored).toMatchObject({ credits });
    await eventually('the key is revoked again', SOON_MS, async () => (await requestUsage(revoked)).status === 401);
    await untilServed(later);
    const { body } = await requestUsage(later);
    expect(body.recent_sessions?.slice(0, 2).map(({ status }) => status)).toEqual(['failed', 'failed']);
    await transcribe({ ...access, key: later });
  },
  TIMEOUT_MS,
);

test(
  'a ledger rebuild without a backup restores the credit of the last checkpoint, and the command lists the lost data',
  async () => {
    const { ledger_id: ledgerId } = await readLedger();
    const { credits } = await readAccount();
    await until(harness, `tenant/${TENANT}`, '.status.credits.consumedMs', String(credits.consumed_ms));
    await loseData();
    const rebuild = await eventually('the operator reports what it can restore', SOON_MS, async () => {
      return (await readLedger()).rebuild ?? undefined;
    });
    const planned = rebuild.tenants.find(({ tenant }) => tenant === TENANT);
    expect(planned).toMatchObject({ granted_ms: credits.granted_ms, consumed_ms: credits.consumed_ms });
    expect(await runAdmin(harness, ['ledger', 'rebuild'])).toMatch(/Lost: .*recent sessions, daily usage, journals,\n/);
    expect((await readLedger()).ledger_id).toBeNull();

    await runAdmin(harness, ['ledger', 'rebuild', '--yes']);
    await eventually('the ledger is restored', SOON_MS, async () => (await readLedger()).ledger_id === ledgerId);
    await untilLedgerMissing('False');
    const restored = { granted_ms: credits.granted_ms, consumed_ms: credits.consumed_ms, reserved_ms: 0 };
    expect(await readAccount()).toMatchObject({ live_sessions: 0, credits: restored });
    await untilServed(access.key);
    expect((await requestUsage(access.key)).body.recent_sessions).toEqual([]);
    await transcribe(access);
  },
  TIMEOUT_MS,
);

describe('a Tenant and an ASRModel that wait for their finalizer', () => {
  const resources = ['tenant/leaving', 'asrmodel/svc-asr-leaving-v1'] as const;
  const scale = async (object: string, replicas: number) => {
    await harness.kubectl(['scale', object, `--replicas=${replicas}`]);
    await harness.kubectl(['rollout', 'status', object, '--timeout=180s']);
  };
  const listChildren = () => {
    const kinds = 'deployments,configmaps,services,networkpolicies,poddisruptionbudgets,serviceaccounts';
    return harness.kubectl(['get', kinds, '-l', 'asr.svc.dev/model=svc-asr-leaving-v1', '-o', 'name']);
  };
  const waitForDeletion = (timeout: string) =>
    harness.kubectl(['wait', '--for=delete', ...resources, `--timeout=${timeout}`]);
  /** Creates the Tenant and the ASRModel; resolves with a key of the tenant. */
  const create = async (grants: readonly object[]) => {
    const tenant = buildTenant('leaving');
    const model = buildModel('svc-asr-leaving-v1', 'Kikuyu', 'ki', { min: 0, max: 1 });
    const items = [{ ...tenant, spec: { ...tenant.spec, grants } }, model];
    const list = { apiVersion: 'v1', kind: 'List', items };
    await harness.kubectl(['apply', '-f', '-'], { input: JSON.stringify(list) });
    for (const resource of resources) await until(harness, resource, '.metadata.finalizers[*]', 'asr.svc.dev/operator');
    await until(harness, 'tenant/leaving', '.status.conditions[?(@.type=="Ready")].status', 'True');
    await eventually('the model has children', SOON_MS, async () => (await listChildren()).includes('deployment'));
    return (await harness.openAdmin()).key('leaving');
  };
  /**
   * Deletes the Tenant and the ASRModel with the steps of the docs. Without these steps, the deletion would never end.
   */
  const deleteByHand = async () => {
    await harness.kubectl(['delete', ...resources, '--wait=false']);
    await expect(waitForDeletion('5s')).rejects.toThrow('timed out');
    await runDocs(harness, folder, 'install.md', 'When resources cannot be deleted');
    await waitForDeletion('60s');
    await eventually('the children are deleted', SOON_MS, async () => (await listChildren()) === '');
  };

  test(
    'can be deleted by removing the finalizers while no operator runs, and a new Tenant of the same name has the old account',
    async () => {
      const key = await create([{ id: 'first', audioSeconds: 60 }]);
      await scale('deployment/svc-asr-operator', 0);
      await harness.kubectl(['wait', '--for=delete', 'pod', '-l', 'app.kubernetes.io/component=operator']);
      await deleteByHand();
      await scale('deployment/svc-asr-operator', 2);
      await eventually('the key is rejected', SOON_MS, async () => (await requestUsage(key)).status === 401);
      await until(harness, `tenant/${TENANT}`, '.metadata.finalizers[*]', 'asr.svc.dev/operator');
      await create([{ id: 'second', audioSeconds: 60 }]);
      const { credits } = await (await harness.openAdmin()).account('leaving');
      expect(credits.granted_ms).toBe(120_000);
    },
    TIMEOUT_MS,
  );

  test(
    'can be deleted by removing the finalizers while Redis is unavailable',
    async () => {
      await scale('statefulset/svc-asr-redis', 0);
      await harness.kubectl(['wait', '--for=delete', 'pod/svc-asr-redis-0', '--timeout=60s']);
      await deleteByHand();
      await scale('statefulset/svc-asr-redis', 1);
      await untilServed(access.key);
      await transcribe(access);
    },
    TIMEOUT_MS,
  );
});
