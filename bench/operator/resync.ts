import { prometheusName } from '@svc-asr/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import { METRICS } from '../../operator/src/metric-list.ts';
import { difference, sumBy } from './exposition.ts';
import { startOperator } from './operator-process.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { Scene } from './stage.ts';

/** The lease is replaced every two seconds, whatever else happens: it is the lead, not a resource. */
const LEASE_VERB = 'replace';
const READING = ['get', 'list', 'watch'];
const RESYNC_SECONDS = 10;
const PAGE = 500;
const POLL_MS = 200;
const WITHIN_MS = 600_000;
const WATCHED = [
  TYPES.ASRModel,
  TYPES.Tenant,
  TYPES.ServiceAccount,
  TYPES.ConfigMap,
  TYPES.NetworkPolicy,
  TYPES.Service,
  TYPES.PodDisruptionBudget,
  TYPES.Deployment,
];

export interface Resync {
  /** Requests that write, those for the lease left out. */
  writes: number;
  /** Objects of which there is another version than before. */
  changed: number;
  /** From the start of a new operator to its being done with the first look at everything. */
  startMs: number;
  usage: ReturnType<OperatorProcess['usage']>;
  /** Share of one core that it takes while nothing happens. */
  idleCores: number;
}

/**
 * Starts an operator anew, which knows nothing and looks at everything, and lets it look at everything once more: where
 * all is as it should be, neither is a reason to write.
 */
export async function resync(scene: Scene, count: number): Promise<Resync> {
  const api = scene.client(4);
  const before = await readVersions(api);
  const startMs = performance.now();
  const operator = await startOperator({ ...scene.settings, RESYNC_SECONDS: String(RESYNC_SECONDS) });
  try {
    const ms = performance.now() - startMs;
    await untilReconciled(operator, 2 * 2 * count);
    const cpuBefore = operator.usage().cpuSeconds;
    const idleFromMs = performance.now();
    // What is written late, because it is written seldom, comes within the time that loads are told in.
    await sleep(RESYNC_SECONDS * 1000);
    const idleCores = ((operator.usage().cpuSeconds - cpuBefore) * 1000) / (performance.now() - idleFromMs);
    const requests = await operator.requests();
    const writes = [...requests].filter(([verb]) => verb !== LEASE_VERB && !READING.includes(verb));
    const changed = difference(before, await readVersions(api)).size;
    return {
      writes: writes.reduce((sum, [, times]) => sum + times, 0),
      changed,
      startMs: ms,
      usage: operator.usage(),
      idleCores,
    };
  } finally {
    await operator.stop();
  }
}

async function untilReconciled(operator: OperatorProcess, times: number): Promise<void> {
  const untilMs = performance.now() + WITHIN_MS;
  for (;;) {
    const done = sumBy(await operator.metrics(), prometheusName(METRICS.reconciles), 'kind');
    if ((done.get('ASRModel') ?? 0) + (done.get('Tenant') ?? 0) >= times) return;
    if (performance.now() > untilMs) throw new Error('the operator did not look at everything again in time');
    await sleep(POLL_MS);
  }
}

/** The version of everything that the operator could have written to. */
async function readVersions(api: KubeApi): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (const type of WATCHED) {
    let next: string | undefined;
    do {
      const { items, metadata } = await api.list(type, { limit: PAGE, ...(next !== undefined && { continue: next }) });
      for (const { metadata: of } of items) versions.set(`${type.kind}/${of.name}`, Number(of.resourceVersion));
      next = metadata.continue === '' ? undefined : metadata.continue;
    } while (next !== undefined);
  }
  return versions;
}
