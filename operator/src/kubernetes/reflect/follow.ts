import type { Clock } from '../../queue/clock.ts';
import type { KubeApi, ResourceType, WatchEvent } from '@svc-asr/kubernetes';
import type { Turn } from './pace.ts';
import { createWatchdog } from './watchdog.ts';

export interface FollowOptions {
  labelSelector: string | undefined;
  resourceVersion: string;
  timeoutSeconds: number;
  /** Time without any data after which the connection counts as dead. */
  idleTimeoutMs: number;
  signal: AbortSignal;
  clock: Clock;
  onActivity: () => void;
  /** Processes a change. An error that this function throws ends the watch. */
  take: (event: WatchEvent) => void;
}

/** Time by which a watch may exceed its requested duration. */
const GRACE_MS = 15_000;

/** Runs one watch until it ends for any reason. */
export async function follow(
  api: Pick<KubeApi, 'watch'>,
  type: ResourceType,
  { labelSelector, resourceVersion, timeoutSeconds, idleTimeoutMs, signal, clock, onActivity, take }: FollowOptions,
): Promise<Turn> {
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const maxDurationMs = timeoutSeconds * 1000 + GRACE_MS;
  const watchdog = createWatchdog(clock, { idleTimeoutMs, maxDurationMs }, (why) => ending.abort(new Error(why)));
  /** Time of the first response. Undefined if the watch did not start. */
  let startedMs: number | undefined;
  let events = 0;
  const ended = (error?: unknown): Turn => {
    const watchedMs = startedMs === undefined ? 0 : clock.nowMs() - startedMs;
    return { ...(error !== undefined && { error }), watchedMs, events };
  };
  try {
    const changes = api.watch(type, {
      ...(labelSelector !== undefined && { labelSelector }),
      resourceVersion,
      timeoutSeconds,
      signal: ending.signal,
      onBytes: () => {
        startedMs ??= clock.nowMs();
        watchdog.noteActivity();
        onActivity();
      },
    });
    for await (const event of changes) {
      take(event);
      events += 1;
    }
    return ended();
  } catch (error) {
    return ended(error);
  } finally {
    watchdog.stop();
    signal.removeEventListener('abort', stop);
  }
}
