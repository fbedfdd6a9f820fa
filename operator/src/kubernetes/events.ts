import type { Logger } from '@svc-asr/runtime';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import { createCorrelator } from './event/correlate.ts';
import type { EventType, Occurrence, CorrelatedEvent } from './event/correlate.ts';
import { buildCountPatch, buildEvent } from './event/object.ts';

export type { EventType } from './event/correlate.ts';

/** Records Kubernetes Events about objects. `kubectl describe` shows the Events of an object. */
export interface EventRecorder {
  /** Returns at once and never throws. An event that cannot be written is dropped. */
  record: (object: KubeObject, type: EventType, reason: string, message: string) => void;
  /** Resolves when everything recorded so far was written or dropped. */
  settled: () => Promise<void>;
}

export interface EventRecorderOptions {
  api: Pick<KubeApi, 'namespace' | 'create' | 'mergePatch'>;
  /** Name of this process, shown in the event. */
  instance: string;
  logger: Logger;
  nowMs?: () => number;
}

/** Maximum length of the queue. While it is full, each new event replaces the oldest one. */
const MAX_WAITING = 1000;

/**
 * Creates a recorder. As in client-go, repeated events are counted in one event, and events above the rate limit are
 * dropped.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { api, instance, logger, nowMs = Date.now } = options;
  const correlator = createCorrelator();
  const waiting: Occurrence[] = [];
  let working: Promise<void> | undefined;

  async function write(event: CorrelatedEvent): Promise<void> {
    const { name } = event;
    if (event.count > 1) {
      try {
        await api.mergePatch(TYPES.Event, name, buildCountPatch(event));
        return;
      } catch (error) {
        // Status 404: the API server has already deleted the event, by default after an hour. It is created again
        // below.
        if (!(error instanceof KubernetesError) || error.status !== 404) throw error;
      }
    }
    try {
      await api.create(TYPES.Event, buildEvent(event, api.namespace, instance));
    } catch (error) {
      // Status 409: the event exists, because an earlier attempt created it and only its response was lost.
      if (!(error instanceof KubernetesError) || error.status !== 409) throw error;
    }
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const event = correlator.take(next);
      if (event === undefined) continue;
      try {
        await write(event);
      } catch (err) {
        logger.debug({ err, reason: next.reason }, 'an event could not be written and was dropped');
      }
    }
  }

  function startWork(): void {
    working ??= work().finally(() => {
      working = undefined;
      if (waiting.length > 0) startWork();
    });
  }

  return {
    record: (object, type, reason, message) => {
      waiting.push({ object, type, reason, message, atMs: nowMs() });
      if (waiting.length > MAX_WAITING) waiting.shift();
      startWork();
    },
    settled: async () => {
      while (working !== undefined) await working;
    },
  };
}
