import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { runAdmin } from './client.ts';
import { openAccess, TENANT, underLiveStreams } from './live.ts';
import { follow } from './page.ts';
import { buildModel, buildTenant } from './release.ts';
import type { Access } from './speak.ts';
import { openStage, SOON_MS, until } from './stage.ts';
import type { Stage } from './stage.ts';

const WITHIN_MS = 400_000;
const PAGE = 'operations.md';
/** Where a gateway's pod listens. */
const GATEWAY_PORT = 8443;
/** What is told of the ledger, and of what a rebuild would restore. */
interface LedgerAnswer {
  ledger_id: string | null;
  rebuild: { tenants: { tenant: string; granted_ms: number; consumed_ms: number | null }[] } | null;
}

const folder = mkdtempSync(join(tmpdir(), 'svc-asr-e2e-'));
let stage: Stage;
let access: Access;

beforeAll(async () => {
  stage = await openStage();
  access = await openAccess(stage);
});
afterAll(() => {
  stage.close();
  rmSync(folder, { recursive: true });
});

const account = async () => (await stage.admin()).account(TENANT);
const transcribe = (by: Access) => underLiveStreams(stage, by, () => Promise.resolve());
const ledger = async () => JSON.parse(await runAdmin(stage, ['ledger', 'status', '--json'])) as LedgerAnswer;

/** What a caller with a key is answered. */
async function answerTo(key: string, baseUrl = access.baseUrl) {
  const { status, body } = await send(`${baseUrl}/v1/usage`, {
    method: 'GET',
    ca: access.ca,
    headers: { authorization: `Bearer ${key}` },
  });
  return { status, body: body as { recent_sessions?: { status: string }[] } };
}

/** Waits until no gateway is left that does not serve a key: each finds out by itself that Redis is back. */
async function untilServed(key: string): Promise<void> {
  const gateways = ['-l', 'app.kubernetes.io/component=gateway', '-o', 'jsonpath={.items[*].status.podIP}'];
  for (const address of (await stage.kubectl(['get', 'pods', ...gateways])).split(' ')) {
    const { port, close } = await stage.cluster.forward(address, GATEWAY_PORT);
    await eventually(`the gateway ${address} serves a key`, SOON_MS, async () => {
      return (await answerTo(key, `https://localhost:${port}`)).status === 200;
    }).finally(close);
  }
}

const ledgerMissing = (status: 'True' | 'False') =>
  until(stage, `tenant/${TENANT}`, '.status.conditions[?(@.type=="LedgerMissing")].status', status);

/** The disk of Redis is lost, and a new one comes in its place. */
async function loseData(): Promise<void> {
  await stage.kubectl(['exec', 'svc-asr-redis-0', '--', 'rm', '-rf', '/data/appendonlydir']);
  await stage.kubectl(['delete', 'pod', 'svc-asr-redis-0', '--grace-period=0', '--force']);
  await ledgerMissing('True');
  await eventually('callers are asked to come again', SOON_MS, async () => (await answerTo(access.key)).status === 503);
}

test(
  'a backup that was taken while people spoke brings the books back, and what came after it is made good',
  async () => {
    const admin = await stage.admin();
    const { ledger_id: ledgerId } = await ledger();
    const { key: revoked } = await openAccess(stage);
    const before = await account();
    await underLiveStreams(stage, access, async () => {
      await follow(stage, folder, PAGE, 'Backup of Redis');
    });
    const charged = (await account()).credits.consumed_ms;
    expect(charged).toBeGreaterThan(before.credits.consumed_ms);
    await admin.revoke(revoked);
    const { key: later } = await openAccess(stage);
    const grant = [{ op: 'add', path: '/spec/grants/-', value: { id: randomUUID(), audioSeconds: 600 } }];
    await stage.kubectl(['patch', 'tenant', TENANT, '--type=json', '-p', JSON.stringify(grant)]);

    await loseData();
    await follow(stage, folder, PAGE, 'Restore of Redis');
    await ledgerMissing('False');
    expect((await ledger()).ledger_id).toBe(ledgerId);
    const { granted_ms, consumed_ms } = before.credits;
    const restored = await eventually('the sessions of the backup have ended', SOON_MS, async () => {
      const now = await account();
      return now.live_sessions === 0 && now.credits.granted_ms > granted_ms && now;
    });
    const credits = { granted_ms: granted_ms + 600_000, reserved_ms: 0, consumed_ms };
    expect(restored).toMatchObject({ credits });
    await eventually('the key is revoked again', SOON_MS, async () => (await answerTo(revoked)).status === 401);
    await untilServed(later);
    const { body } = await answerTo(later);
    expect(body.recent_sessions?.slice(0, 2).map(({ status }) => status)).toEqual(['failed', 'failed']);
    await transcribe({ ...access, key: later });
  },
  WITHIN_MS,
);

test(
  'without a backup a rebuild brings credit back as of the last checkpoint, and says what is lost',
  async () => {
    const { ledger_id: ledgerId } = await ledger();
    const { credits } = await account();
    await until(stage, `tenant/${TENANT}`, '.status.credits.consumedMs', String(credits.consumed_ms));
    await loseData();
    const told = await eventually('the operator tells what can be restored', SOON_MS, async () => {
      return (await ledger()).rebuild ?? undefined;
    });
    const planned = told.tenants.find(({ tenant }) => tenant === TENANT);
    expect(planned).toMatchObject({ granted_ms: credits.granted_ms, consumed_ms: credits.consumed_ms });
    expect(await runAdmin(stage, ['ledger', 'rebuild'])).toMatch(/Lost: .*recent sessions, daily usage, journals,\n/);
    expect((await ledger()).ledger_id).toBeNull();

    await runAdmin(stage, ['ledger', 'rebuild', '--yes']);
    await eventually('it is done', SOON_MS, async () => (await ledger()).ledger_id === ledgerId);
    await ledgerMissing('False');
    const restored = { granted_ms: credits.granted_ms, consumed_ms: credits.consumed_ms, reserved_ms: 0 };
    expect(await account()).toMatchObject({ live_sessions: 0, credits: restored });
    await untilServed(access.key);
    expect((await answerTo(access.key)).body.recent_sessions).toEqual([]);
    await transcribe(access);
  },
  WITHIN_MS,
);

describe('resources that are deleted', () => {
  const leaving = ['tenant/leaving', 'asrmodel/svc-asr-leaving-v1'] as const;
  const scale = async (object: string, replicas: number) => {
    await stage.kubectl(['scale', object, `--replicas=${replicas}`]);
    await stage.kubectl(['rollout', 'status', object, '--timeout=180s']);
  };
  const children = async () => {
    const kinds = 'deployments,configmaps,services,networkpolicies,poddisruptionbudgets,serviceaccounts';
    return stage.kubectl(['get', kinds, '-l', 'asr.svc.dev/model=svc-asr-leaving-v1', '-o', 'name']);
  };
  const gone = (timeout: string) => stage.kubectl(['wait', '--for=delete', ...leaving, `--timeout=${timeout}`]);
  const apply = async (grants: readonly object[]) => {
    const tenant = buildTenant('leaving');
    const model = buildModel('svc-asr-leaving-v1', 'Kikuyu', 'ki', { min: 0, max: 1 });
    const items = [{ ...tenant, spec: { ...tenant.spec, grants } }, model];
    await stage.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    for (const one of leaving) await until(stage, one, '.metadata.finalizers[*]', 'asr.svc.dev/operator');
    await until(stage, 'tenant/leaving', '.status.conditions[?(@.type=="Ready")].status', 'True');
    await eventually('the model has children', SOON_MS, async () => (await children()).includes('deployment'));
    return (await stage.admin()).key('leaving');
  };
  /** They wait until somebody does what the page says. */
  const letGo = async () => {
    await stage.kubectl(['delete', ...leaving, '--wait=false']);
    await expect(gone('5s')).rejects.toThrow('timed out');
    await follow(stage, folder, 'install.md', 'When resources cannot be deleted');
    await gone('60s');
    await eventually('its children go with it', SOON_MS, async () => (await children()) === '');
  };

  test(
    'go without the operator, and a Tenant of the same name has their account',
    async () => {
      const key = await apply([{ id: 'first', audioSeconds: 60 }]);
      await scale('deployment/svc-asr-operator', 0);
      await stage.kubectl(['wait', '--for=delete', 'pod', '-l', 'app.kubernetes.io/component=operator']);
      await letGo();
      await scale('deployment/svc-asr-operator', 2);
      await eventually('the key is refused', SOON_MS, async () => (await answerTo(key)).status === 401);
      await until(stage, `tenant/${TENANT}`, '.metadata.finalizers[*]', 'asr.svc.dev/operator');
      await apply([{ id: 'second', audioSeconds: 60 }]);
      const { credits } = await (await stage.admin()).account('leaving');
      expect(credits.granted_ms).toBe(120_000);
    },
    WITHIN_MS,
  );

  test(
    'go without Redis',
    async () => {
      await scale('statefulset/svc-asr-redis', 0);
      await stage.kubectl(['wait', '--for=delete', 'pod/svc-asr-redis-0', '--timeout=60s']);
      await letGo();
      await scale('statefulset/svc-asr-redis', 1);
      await untilServed(access.key);
      await transcribe(access);
    },
    WITHIN_MS,
  );
});
