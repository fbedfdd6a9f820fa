import type { Logger } from '@svc-asr/runtime';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import { createCorrelator } from './event/correlate.ts';
import type { EventType, Occurrence, Told } from './event/correlate.ts';
import { buildCountPatch, buildEvent } from './event/object.ts';

export type { EventType } from './event/correlate.ts';

/** Tells what happened to an object, where `kubectl describe` shows it. */
export interface EventRecorder {
  /** Returns at once and never fails: an event that cannot be written is given up. */
  record: (object: KubeObject, type: EventType, reason: string, message: string) => void;
  /** Resolves when everything recorded so far was written or given up. */
  settled: () => Promise<void>;
}

export interface EventRecorderOptions {
  api: Pick<KubeApi, 'namespace' | 'create' | 'mergePatch'>;
  /** Which process tells, as people read it. */
  instance: string;
  logger: Logger;
  nowMs?: () => number;
}

/** More than this many wait only when the API server does not take them; then the oldest are given up. */
const MAX_WAITING = 1000;

/** Makes a recorder; what repeats is counted in one event, and what floods is dropped, as client-go does. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { api, instance, logger, nowMs = Date.now } = options;
  const correlator = createCorrelator();
  const waiting: Occurrence[] = [];
  let working: Promise<void> | undefined;

  async function write(told: Told): Promise<void> {
    const { name } = told;
    if (told.count > 1) {
      try {
        await api.mergePatch(TYPES.Event, name, buildCountPatch(told));
        return;
      } catch (error) {
        // The API server forgets events after an hour.
        if (!(error instanceof KubernetesError) || error.status !== 404) throw error;
      }
    }
    try {
      await api.create(TYPES.Event, buildEvent(told, api.namespace, instance));
    } catch (error) {
      // An earlier try arrived though its answer did not.
      if (!(error instanceof KubernetesError) || error.status !== 409) throw error;
    }
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const told = correlator.take(next);
      if (told === undefined) continue;
      try {
        await write(told);
      } catch (err) {
        logger.debug({ err, reason: next.reason }, 'an event could not be written and is given up');
      }
    }
  }

  function begin(): void {
    working ??= work().finally(() => {
      working = undefined;
      if (waiting.length > 0) begin();
    });
  }

  return {
    record: (object, type, reason, message) => {
      waiting.push({ object, type, reason, message, atMs: nowMs() });
      if (waiting.length > MAX_WAITING) waiting.shift();
      begin();
    },
    settled: async () => {
      while (working !== undefined) await working;
    },
  };
}
