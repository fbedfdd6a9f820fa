import type { V1ConfigMap, V1Deployment } from '@kubernetes/client-node';
import { KUBERNETES_TIMEOUT_MS } from '../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../test/support/kubernetes.ts';
import { createStage, startCluster } from '../../testing/cluster-stage.ts';
import type { Stage } from '../../testing/cluster-stage.ts';
import { eventually } from '../../testing/eventually.ts';
import { placed } from '../../testing/placed.ts';
import { model } from '../../testing/resources.ts';
import { writeTestCa } from '../../testing/worker-ca.ts';
import { LABELS } from '../cluster/names.ts';

const LONG_MS = 60_000;
const TEST_MS = 180_000;
let kubernetes: Kubernetes;
let stage: Stage;

beforeAll(async () => {
  kubernetes = await startCluster();
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop());
afterEach(() => stage.close(), LONG_MS);

const HOST = model('host', { scaling: { min: 1, max: 2 }, rollout: { windowSeconds: 0 } });
const GUEST = model('guest', { hostedBy: 'host', worker: { slots: 3 } });
const named = (name: string) => `${LABELS.model}=${name}`;

async function statusOf(name: string) {
  const found = (await stage.list('asr.svc.dev/asrmodels')).find(({ metadata }) => metadata.name === name);
  const { conditions = [], ...fields } = (found?.status ?? {}) as { conditions?: { type: string }[] };
  return { ...fields, available: conditions.find(({ type }) => type === 'Available') };
}

/** Registers the workers of the host for the guest, as real workers do. The lease is short, so call it repeatedly. */
async function registerForGuest(): Promise<void> {
  const { ledger } = stage;
  for (const { id, revision, address } of await ledger.workers.list('host')) {
    await ledger.workers.register('guest', { id, revision, address, slots: 3 });
  }
}

test(
  'a guest has a Secret and no workers, and the pods of its host mount that Secret and are configured to serve the guest',
  async () => {
    const { settings } = await writeTestCa();
    stage = await createStage(kubernetes, { env: settings });
    await stage.apply(GUEST);
    await eventually(async () => {
      expect((await statusOf('guest')).available).toMatchObject({ status: 'False', reason: 'HostMissing' });
    }, LONG_MS);
    await stage.apply(HOST);
    const [deployment] = await eventually(async () => {
      const found = await stage.list('apps/deployments');
      expect(found).toHaveLength(1);
      return found as unknown as V1Deployment[];
    }, LONG_MS);
    expect(deployment?.metadata?.labels).toMatchObject({ [LABELS.model]: 'host' });
    const { volumes = [] } = deployment?.spec?.template.spec ?? {};
    expect(volumes.find(({ name }) => name === 'guest-1')?.secret?.secretName).toBe('guest-workers');
    const settingsMap = (await stage.list('configmaps', named('host'))) as unknown as V1ConfigMap[];
    const listed = settingsMap.find(({ data }) => data?.GUESTS !== undefined)?.data?.GUESTS ?? '[]';
    expect(JSON.parse(listed)).toMatchObject([{ MODEL: 'guest', SLOTS: 3, PORT: 8447 }]);
    expect((await stage.list('secrets', named('guest'))).map(({ metadata }) => metadata.name)).toEqual([
      'guest-workers',
    ]);
    await eventually(async () => {
      await registerForGuest();
      const { available, ...status } = await statusOf('guest');
      expect(available).toMatchObject({ status: 'True', message: '1 workers of host are ready' });
      expect(status).toMatchObject({ workers: '1/1', sessions: '0/3', selector: named('host') });
    }, LONG_MS);
  },
  TEST_MS,
);

test(
  "sessions of a guest start further workers of its host, and deleting the guest replaces the host's workers",
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(HOST);
    await stage.apply(GUEST);
    const pods = () => stage.list('pods', named('host'));
    const revisions = async () => new Set((await pods()).map(({ metadata }) => metadata.labels?.[LABELS.revision]));
    await eventually(async () => {
      await registerForGuest();
      expect(await statusOf('guest')).toMatchObject({ available: { status: 'True' }, workers: '1/1' });
    }, LONG_MS);
    for (const session of ['a', 'b', 'c', 'd']) await stage.ledger.pools.claim('guest', session, Date.now() + 600_000);
    await eventually(async () => {
      await registerForGuest();
      expect(await pods()).toHaveLength(2);
    }, LONG_MS);
    const before = await revisions();
    await stage.kubectl(['delete', 'asrmodel', 'guest', '--timeout=60s']);
    await eventually(async () => {
      const after = await revisions();
      expect(after.size).toBe(1);
      expect(after).not.toEqual(before);
    }, LONG_MS);
    expect(await stage.list('pods', named('guest'))).toEqual([]);
  },
  TEST_MS,
);

test(
  'sessions beyond the maximum of a tier go to the next tier, and to the first tier again when the first has free slots',
  async () => {
    const tiers = [
      { name: 'spot', max: 1 },
      { name: 'reserved', priority: 10, max: 1 },
    ];
    const scaling = { bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0, idleToZeroSeconds: 0 };
    stage = await createStage(kubernetes);
    await stage.apply(model('tiered', { pools: tiers, scaling }));
    const place = async (sessionId: string) => {
      const worker = await placed(stage.ledger, 'tiered', sessionId);
      const workers = await stage.ledger.workers.list('tiered');
      return workers.find(({ id }) => id === worker.id)?.tier;
    };
    const leave = (sessionId: string) => stage.ledger.pools.leave('tiered', sessionId, 't');
    const tiersOf = (objects: Awaited<ReturnType<typeof stage.list>>) =>
      objects.map(({ metadata }) => metadata.labels?.[LABELS.tier]).sort();
    expect(await place('a')).toBe('reserved');
    expect(tiersOf(await stage.list('apps/deployments', named('tiered')))).toEqual(['reserved', 'spot']);
    expect([await place('b'), await place('c')]).toEqual(['reserved', 'spot']);
    await eventually(async () => {
      const [reserved, spot] = [
        { name: 'reserved', ready: 1, used: 2 },
        { name: 'spot', ready: 1, slots: 2, used: 1 },
      ];
      expect(await statusOf('tiered')).toMatchObject({ tiers: 'reserved 1/1, spot 1/1', pools: [reserved, spot] });
    }, LONG_MS);

    await leave('a');
    await leave('b');
    await eventually(async () => {
      expect(await statusOf('tiered')).toMatchObject({ pools: [{ desired: 1 }, { desired: 0, ready: 1, used: 1 }] });
    }, LONG_MS);
    expect(await place('d')).toBe('reserved');
    await leave('c');
    await eventually(async () => {
      expect(tiersOf(await stage.list('pods', named('tiered')))).toEqual(['reserved']);
    }, LONG_MS);
  },
  TEST_MS,
);
