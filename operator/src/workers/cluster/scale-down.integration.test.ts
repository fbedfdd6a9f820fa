import { setTimeout as sleep } from 'node:timers/promises';
import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../test/support/kubernetes.ts';
import { createStage, SLOTS } from '../../testing/cluster-stage.ts';
import type { Stage } from '../../testing/cluster-stage.ts';
import { eventually } from '../../testing/eventually.ts';
import { placed } from '../../testing/placed.ts';
import { model } from '../../testing/resources.ts';
import { startRelay } from '../../testing/relay.ts';
import type { Relay } from '../../testing/relay.ts';
import { LABELS } from './names.ts';

const LONG_MS = 120_000;
const WORKERS = 30;
const STEPS = [15, 3];
/**
 * Delay with which the Kubernetes controllers observe changes of pods. It is longer than the time in which a lower
 * number of replicas reaches the ReplicaSet of a Deployment. If the operator relied on a short delay, pods with streams
 * would be removed, and the test would fail.
 */
const LATE_MS = 1500;
/** Polling interval. Each poll opens a connection, and a shorter interval would load a busy machine. */
const POLL_MS = 300;
let kubernetes: Kubernetes;
let proxy: Relay;
let stage: Stage;

beforeAll(async () => {
  kubernetes = await borrowKubernetes();
  proxy = await startDelayedWatch(kubernetes.kubeconfig, 'pods', LATE_MS);
  await kubernetes.startControllers(proxy.kubeconfig);
  stage = await createStage(kubernetes);
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await stage.close();
  await kubernetes.stop();
  await proxy.stop();
}, LONG_MS);

const pods = () => stage.list('pods', `${LABELS.model}=m`);

test(
  'the operator removes dozens of idle workers and none with streams, even if the pod watch of Kubernetes is late',
  async () => {
    const quick = { bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0, idleToZeroSeconds: 0 };
    await stage.apply(model('m', { scaling: { ...quick, min: 0, max: WORKERS } }));
    const sessions = Array.from({ length: WORKERS * SLOTS }, (_, at) => `session-${at}`);
    const isClaimed = (session: string) => stage.ledger.pools.claim('m', session, Date.now() + 600_000);
    await eventually(async () => expect(await isClaimed('session-0')).toBe(true), LONG_MS);
    for (const session of sessions) await isClaimed(session);
    /** Sessions of each worker. */
    const sessionsByWorker = new Map<string, string[]>();
    for (const sessionId of sessions) {
      const { id } = await placed(stage.ledger, 'm', sessionId);
      sessionsByWorker.set(id, [...(sessionsByWorker.get(id) ?? []), sessionId]);
    }
    expect(sessionsByWorker.size).toBe(WORKERS);

    const lost = new Set<string>();
    for (const left of STEPS) {
      // Ends all streams of the workers to remove. If the operator did not select these workers, Kubernetes could
      // remove others.
      for (const [worker, own] of [...sessionsByWorker].slice(left)) {
        sessionsByWorker.delete(worker);
        for (const session of own) await stage.ledger.pools.leave('m', session, 't');
      }
      const isDown = async () => {
        const staying = (await pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        const names = staying.map(({ metadata }) => metadata.name);
        for (const busy of sessionsByWorker.keys()) if (!names.includes(busy)) lost.add(busy);
        return lost.size > 0 || names.length === left;
      };
      const untilMs = performance.now() + LONG_MS;
      while (!(await isDown()) && performance.now() < untilMs) await sleep(POLL_MS);
      expect([...lost]).toEqual([]);
      expect(await isDown()).toBe(true);
    }
  },
  4 * LONG_MS,
);

/**
 * Starts a proxy between the Kubernetes controllers and the API server. It delays all events of the watch on a
 * resource, as a busy API server does.
 */
async function startDelayedWatch(kubeconfig: string, plural: string, lateMs: number): Promise<Relay> {
  return startRelay(kubeconfig, {
    onRequest: (incoming, response, forward) => {
      const url = new URL(incoming.url ?? '', 'http://proxy');
      const isLate = url.pathname.endsWith(`/${plural}`) && url.searchParams.get('watch') === 'true';
      const later = (work: () => void) => (isLate ? void setTimeout(work, lateMs).unref() : work());
      forward((upstream) => {
        upstream.on('data', (chunk: Buffer) => later(() => response.write(chunk)));
        upstream.on('end', () => later(() => response.end()));
      });
    },
  });
}
