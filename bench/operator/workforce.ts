import type { Ledger } from '@svc-asr/ledger';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import { LABELS, POD_SELECTOR } from '../../operator/src/workers/cluster/names.ts';
import { readPod, trimPod } from '../../operator/src/workers/cluster/pods/pod.ts';
import { followObjects, forEachOf } from './client.ts';
import { SLOTS } from './resources.ts';
import type { Scene } from './stage.ts';

const RENEW_MS = 5000;
const AT_ONCE = 64;

interface Worker {
  model: string;
  revision: string;
}

/** Simulated workers, one for each pod. While its pod runs, a worker is registered and renews its lease. */
export interface Workforce {
  /** Pods that are not being deleted. */
  pods: () => readonly { name: string; revision: string }[];
  /** Number of running workers. */
  ready: () => number;
  /** Number of workers that were ever started. */
  started: () => number;
  /** Number of pods that were removed while they had a stream. */
  lostBusy: () => number;
  stop: () => Promise<void>;
}

/** Starts to follow the pods of a scene. `isBusy` returns true if a worker has streams. */
export async function startWorkforce(
  scene: Scene,
  isBusy: (model: string, worker: string) => boolean,
): Promise<Workforce> {
  const { ledger } = scene;
  const workers = new Map<string, Worker>();
  const under = new Set<Promise<void>>();
  let started = 0;
  let lostBusy = 0;

  const reflector = followObjects(scene.client(4), TYPES.Pod, {
    labelSelector: POD_SELECTOR,
    trim: trimPod,
    onChange: (name) => updateWorker(name, reflector.get(name)),
  });

  function updateWorker(name: string, object: KubeObject | undefined): void {
    const pod = object && readPod(object);
    const known = workers.get(name);
    if (pod?.ready === true && !pod.terminating) {
      if (known !== undefined) return;
      const { model, revision } = pod;
      workers.set(name, { model, revision });
      started++;
      track(ledger.workers.register(model, { id: name, revision, address: 'ws://127.0.0.1:1', slots: SLOTS }));
    } else if (known !== undefined && (pod === undefined || pod.terminating)) {
      workers.delete(name);
      if (isBusy(known.model, name)) lostBusy++;
      track(ledger.workers.remove(known.model, name));
    }
  }

  function track(work: Promise<void>): void {
    const tracked = work.catch(() => undefined).finally(() => under.delete(tracked));
    under.add(tracked);
  }

  const timer = setInterval(() => track(renewAll(ledger, workers)), RENEW_MS);
  await reflector.start();
  return {
    pods: () =>
      reflector
        .list()
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => ({ name: metadata.name, revision: metadata.labels?.[LABELS.revision] ?? '' })),
    ready: () => workers.size,
    started: () => started,
    lostBusy: () => lostBusy,
    stop: async () => {
      clearInterval(timer);
      reflector.stop();
      await Promise.all(under);
    },
  };
}

async function renewAll(ledger: Ledger, workers: ReadonlyMap<string, Worker>): Promise<void> {
  await forEachOf([...workers], AT_ONCE, async ([id, { model, revision }]) => {
    const lease = await ledger.workers.renew(model, id);
    if (lease !== 'gone' || !workers.has(id)) return;
    await ledger.workers.register(model, { id, revision, address: 'ws://127.0.0.1:1', slots: SLOTS });
  });
}
