import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi } from '@svc-asr/kubernetes';
import type { EventRecorder } from '../../kubernetes/events.ts';
import { NotLeading } from '../../kubernetes/gate.ts';
import type { BackoffOptions, Logger } from '@svc-asr/runtime';
import type { Notices } from '../../notices.ts';
import type { Clock } from '../../queue/clock.ts';
import { createWorkQueue } from '../../queue/queue.ts';
import { runWorkers } from '../../queue/workers.ts';
import { countCrash, describeCrashes } from '../crashes.ts';
import type { Crashes } from '../crashes.ts';
import type { EndedWorker, StartFailure, WorkerRuntime } from '../runtime.ts';
import type { RolloutMemory } from '../pool/rollout-memory.ts';
import { buildTemplate } from '../template.ts';
import { readRolloutState } from './objects/rollout-state.ts';
import { createChildBuilder } from './objects/built.ts';
import { buildRolloutChild } from './objects/children.ts';
import { revisionOf } from './objects/pod-template.ts';
import { createChildStore } from './objects/store.ts';
import { createRemovals } from './pods/removals.ts';
import type { Reflect } from './objects/object-cache.ts';
import type { Installation } from './installation.ts';
import { LABELS, POD_SELECTOR, revisionName, sharedName } from './names.ts';
import { trimPod } from './pods/pod.ts';
import { createPodIndex } from './pods/pod-index.ts';
import { describeOverdue } from './pods/overdue.ts';
import { isRefusal } from './refusal.ts';
import { isBeingRestarted } from './pods/restart.ts';
import { createScaleWriter } from './scale-writer.ts';
import { createReplicaSets } from './pods/replica-sets.ts';
import { findTemplateProblem } from './objects/template-problem.ts';
import { isDone, convergeModel } from './converge.ts';
import type { Wanted } from './converge.ts';
import { findStartFailure } from './pods/start-failure.ts';

export interface ClusterRuntimeOptions {
  api: Pick<KubeApi, 'get' | 'apply' | 'mergePatch' | 'delete'>;
  reflect: Reflect;
  installation: Installation;
  events: Pick<EventRecorder, 'record'>;
  /** How long pods may wait for a node or their volumes before that counts as trouble. */
  patienceMs: number;
  /** How long a deleted pod may stay beyond its grace period before nothing waits for it any more. */
  overdueMs: number;
  /** Models that are brought to the cluster at the same time. */
  concurrency: number;
  retry: BackoffOptions;
  logger: Logger;
  notices: Notices;
  clock: Clock;
}

const NOTHING: Wanted = {
  template: undefined,
  counts: new Map(),
  needed: new Set(),
  remembered: undefined,
  scale: undefined,
};

/** Workers as pods of a cluster: a Deployment for each revision of a model, and what belongs to it. */
export function createClusterRuntime(options: ClusterRuntimeOptions): {
  runtime: WorkerRuntime;
  rollouts: RolloutMemory;
} {
  const { api, reflect, installation, logger, notices, clock } = options;
  const wanted = new Map<string, Wanted>();
  /** By revision: what the API server refuses of one says nothing of another. */
  const refusals = new Map<string, StartFailure>();
  /** Workers of a revision that had to be stopped because something was wrong with them. */
  const failed = new Map<string, Crashes>();
  let tellEnded: (worker: EndedWorker) => void = () => undefined;
  let tellChanged: (model: string) => void = () => undefined;

  const built = createChildBuilder(installation);
  const removals = createRemovals(api);
  const { events, retry } = options;
  const scales = createScaleWriter({ api, retryMs: retry.maxMs, nowMs: clock.nowMs, events, notices, logger });
  const pods = createPodIndex({
    nowMs: clock.nowMs,
    overdueMs: options.overdueMs,
    onEnded: (worker) => {
      const gone = pods.get(worker.id) === undefined;
      if (gone) removals.forget({ name: worker.id, model: worker.model });
      logger[worker.asked ? 'info' : 'warn']({ model: worker.model }, `worker ${worker.id} ${worker.how}`);
      tellEnded(worker);
    },
    onOverdue: (pod) => {
      const { owner, message } = describeOverdue(pod, children.deployments(pod.model));
      logger.warn({ model: pod.model, resource: `Pod/${pod.name}` }, message);
      if (owner !== undefined) events.record(owner, 'Warning', 'WorkerStuck', message);
    },
  });
  const reflector = reflect(TYPES.Pod, {
    labelSelector: POD_SELECTOR,
    onChange: (name) => {
      const before = pods.get(name);
      pods.update(name, reflector.get(name));
      const model = (pods.get(name) ?? before)?.model;
      if (model !== undefined) tellChanged(model);
    },
    trim: trimPod,
  });
  // Those that were chosen may wait for their ReplicaSet to have seen it.
  const sets = createReplicaSets(reflect, (model) => {
    if (removals.hasSelected(model)) ask(model);
  });
  const children = createChildStore({
    api,
    reflect,
    onChange: (model) => tellChanged(model),
    onStubborn: ({ type, object }) =>
      logger.warn(
        { model: object.metadata.labels?.[LABELS.model], resource: `${type.kind}/${object.metadata.name}` },
        `${type.kind} ${object.metadata.name} is not what was applied: something in the cluster changes it, and is left alone`,
      ),
  });
  const queue = createWorkQueue(clock, retry);
  let working = Promise.resolve();

  async function sync(model: string): Promise<void> {
    try {
      const asked = makeable(model);
      await convergeModel(model, asked, { built, children, pods, sets, removals, scales });
      if (isDone(model, asked, { pods }) && wanted.get(model) === asked) wanted.delete(model);
      if (asked.template !== undefined) refusals.delete(asked.template.revision);
      notices.clear(`cluster ${model}`);
    } catch (error) {
      // Whoever does not lead any more leaves everything to the one who does.
      if (error instanceof NotLeading) return;
      fail(model, error);
      throw error;
    }
  }

  /** What is wanted, less what nothing can be made of. */
  function makeable(model: string): Wanted {
    const asked = wanted.get(model) ?? NOTHING;
    const wrong = asked.template !== undefined && findTemplateProblem(asked.template, installation) !== undefined;
    return wrong ? { ...asked, template: undefined } : asked;
  }

  function fail(model: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const revision = wanted.get(model)?.template?.revision;
    if (isRefusal(error) && revision !== undefined) {
      refusals.set(revision, { reason: error.reason, message: `the API server refuses: ${message}` });
    }
    notices.raise(`cluster ${model}`, message, () =>
      logger.warn(
        { model, err: error },
        `${model}: not all of it could be brought to the cluster, which is tried again`,
      ),
    );
  }

  /** One that failed comes back by itself, and not before its time. */
  function ask(model: string): void {
    if (queue.failures(model) === 0) queue.add(model);
  }

  function want(model: string, change: (before: Wanted) => Wanted): void {
    wanted.set(model, change(wanted.get(model) ?? NOTHING));
    ask(model);
  }

  const runtime: WorkerRuntime = {
    open: async (onEnded, onChanged) => {
      tellEnded = onEnded;
      tellChanged = onChanged;
      await Promise.all([reflector.start(), sets.reflector.start(), children.start()]);
      const { concurrency } = options;
      working = runWorkers({ queue, concurrency, work: sync, onOutcome: () => undefined, nowMs: clock.nowMs });
    },
    template: (model) => {
      const template = buildTemplate(model);
      return { ...template, revision: revisionOf(template, installation) };
    },
    models: () => [...new Set([...pods.models(), ...children.models()])],
    list: (model) => {
      const found = pods.of(model);
      return found.map((pod) => ({
        id: pod.name,
        model,
        revision: pod.revision,
        ageMs: pods.ageMs(pod.name),
        stopping: pod.terminating || pod.selectedForRemoval || removals.isSelected(pod),
        pinned: isBeingRestarted(pod, found),
      }));
    },
    ensure: (template, count) =>
      want(template.model, ({ counts, needed, ...before }) => ({
        ...before,
        template,
        counts: new Map(counts).set(template.revision, count),
        needed: new Set(needed).add(template.revision),
      })),
    keep: (model, revision, count) =>
      want(model, (before) => ({
        ...before,
        counts: new Map(before.counts).set(revision, count),
        needed: new Set(before.needed).add(revision),
      })),
    forget: (model, needed) => {
      for (const revision of wanted.get(model)?.counts.keys() ?? []) {
        if (!needed.includes(revision)) failed.delete(revision);
      }
      want(model, ({ template, counts, ...before }) => ({
        ...before,
        template: template !== undefined && needed.includes(template.revision) ? template : undefined,
        counts: new Map([...counts].filter(([revision]) => needed.includes(revision))),
        needed: new Set(needed),
      }));
    },
    writeScale: (model, scale) => want(model, (before) => ({ ...before, scale })),
    confirm: (id) => {
      const pod = pods.get(id);
      if (pod === undefined) return;
      // One that was started since shows that others can be, too.
      const lastMs = failed.get(pod.revision)?.lastAtMs ?? Infinity;
      if (clock.nowMs() - pods.ageMs(id) > lastMs) failed.delete(pod.revision);
    },
    stop: (id, failure) => {
      const pod = pods.get(id);
      if (pod === undefined || pod.terminating || removals.isSelected(pod)) return;
      if (failure !== undefined) {
        const crash = { how: failure, readyForMs: undefined, nowMs: clock.nowMs() };
        failed.set(pod.revision, countCrash(failed.get(pod.revision), crash));
      }
      logger.info({ model: pod.model, reason: failure }, `worker ${id} goes`);
      removals.select(pod, failure ?? 'drained');
      ask(pod.model);
    },
    startFailure: ({ model, revision }) => {
      const deployment = children.get(TYPES.Deployment, revisionName(model, revision));
      const { template } = wanted.get(model) ?? NOTHING;
      return (
        (template?.revision === revision ? findTemplateProblem(template, installation) : undefined) ??
        refusals.get(revision) ??
        findStartFailure(pods.of(model, revision), deployment, options.patienceMs) ??
        describeFailures(failed.get(revision))
      );
    },
    close: async () => {
      reflector.stop();
      sets.reflector.stop();
      children.stop();
      queue.close();
      await working;
    },
  };

  const rollouts: RolloutMemory = {
    get: (model) => readRolloutState(children.get(TYPES.ConfigMap, sharedName(model))),
    put: (owner, state) => want(owner.model, (before) => ({ ...before, remembered: buildRolloutChild(owner, state) })),
  };
  return { runtime, rollouts };
}

function describeFailures(crashes: Crashes | undefined): StartFailure | undefined {
  const message = describeCrashes(crashes);
  return message === undefined ? undefined : { reason: 'WorkersFail', message };
}
