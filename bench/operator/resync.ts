import { prometheusName } from '@svc-asr/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { TYPES } from '@svc-asr/kubernetes';
import { FIELD_MANAGER } from '../../operator/src/kubernetes/cluster.ts';
import { METRICS } from '../../operator/src/metric-list.ts';
import { difference, sumBy } from './exposition.ts';
import { startOperator } from './operator-process.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { Scene } from './stage.ts';
import { findChanged, readVersions } from './versions.ts';

/** Verb of the requests with which the operator renews its Lease every two seconds. These writes are not counted. */
const LEASE_VERB = 'replace';
const READ_VERBS = ['get', 'list', 'watch'];
const KINDS = ['ASRModel', 'Tenant', 'ApiKey'];
/** Duration for which the steady operator is measured, and the shortest interval of its resyncs. */
const STEADY_SECONDS = 10;
/**
 * Number of resources for each second of the resync interval. With more resources, a resync would not end before the
 * next one.
 */
const RESYNC_RATE = 300;
const POLL_MS = 200;
const TIMEOUT_MS = 1_800_000;
/** Types of the objects whose versions are compared. */
const WRITTEN_TYPES = [
  TYPES.ASRModel,
  TYPES.Tenant,
  TYPES.ApiKey,
  TYPES.ServiceAccount,
  TYPES.ConfigMap,
  TYPES.NetworkPolicy,
  TYPES.Service,
  TYPES.PodDisruptionBudget,
  TYPES.Deployment,
];

export interface Resync {
  /** Number of write requests of the operator, not counting those for its Lease. */
  writes: number;
  /** Objects that the operator changed, created or deleted. */
  changed: readonly string[];
  /** Time from the start of the process until it is the leader and has reconciled every resource once. */
  startMs: number;
  usage: ReturnType<OperatorProcess['usage']>;
  /** CPU use while nothing changes, as a share of one core. */
  idleCores: number;
  /** Requests per second to the API server while nothing changes, including those for the Lease. */
  idleRequestsPerSecond: number;
}

/**
 * Starts a new operator in a scene where everything has converged. Waits until the operator has reconciled every
 * resource at its start, and once more at the next resync. In both cases, the operator has nothing to write.
 */
export async function resync(scene: Scene, resources: number): Promise<Resync> {
  const api = scene.client(4);
  const before = await readVersions(api, WRITTEN_TYPES, FIELD_MANAGER);
  const startedAtMs = performance.now();
  const resyncSeconds = Math.max(STEADY_SECONDS, Math.ceil(resources / RESYNC_RATE));
  const operator = await startOperator({ ...scene.settings, RESYNC_SECONDS: String(resyncSeconds) });
  try {
    const startMs = performance.now() - startedAtMs;
    await untilReconciled(operator, 2 * resources);
    const cpuBefore = operator.usage().cpuSeconds;
    const requestsBefore = await operator.requests();
    const idleFromMs = performance.now();
    // The operator delays the writes of status changes that are not urgent. This wait is longer than that delay.
    await sleep(STEADY_SECONDS * 1000);
    const idleSeconds = (performance.now() - idleFromMs) / 1000;
    const idleCores = (operator.usage().cpuSeconds - cpuBefore) / idleSeconds;
    const requests = await operator.requests();
    const idleRequests = [...difference(requestsBefore, requests).values()].reduce((sum, times) => sum + times, 0);
    const writes = [...requests].filter(([verb]) => verb !== LEASE_VERB && !READ_VERBS.includes(verb));
    return {
      writes: writes.reduce((sum, [, times]) => sum + times, 0),
      changed: findChanged(before, await readVersions(api, WRITTEN_TYPES, FIELD_MANAGER)),
      startMs,
      usage: operator.usage(),
      idleCores,
      idleRequestsPerSecond: idleRequests / idleSeconds,
    };
  } finally {
    await operator.stop();
  }
}

async function untilReconciled(operator: OperatorProcess, times: number): Promise<void> {
  const untilMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const done = sumBy(await operator.metrics(), prometheusName(METRICS.reconciles), 'kind');
    if (KINDS.reduce((sum, kind) => sum + (done.get(kind) ?? 0), 0) >= times) return;
    if (performance.now() > untilMs) {
      throw new Error(`the operator did not reconcile every resource twice within ${TIMEOUT_MS / 1000} s`);
    }
    await sleep(POLL_MS);
  }
}
