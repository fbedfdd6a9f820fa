import type { Clock } from '../../queue/clock.ts';
import type { KubeApi, ResourceType, WatchEvent } from '@svc-asr/kubernetes';
import type { Turn } from './pace.ts';
import { createWatchdog } from './watchdog.ts';

export interface FollowOptions {
  labelSelector: string | undefined;
  resourceVersion: string;
  timeoutSeconds: number;
  /** Nothing for so long: the connection is taken for dead. */
  quietMs: number;
  signal: AbortSignal;
  clock: Clock;
  onHeard: () => void;
  /** Takes a change in; what it throws ends the watch. */
  take: (event: WatchEvent) => void;
}

/** Watches may end a little later than they were asked to. */
const GRACE_MS = 15_000;

/** Follows one watch to its end, however it ends. */
export async function follow(
  api: Pick<KubeApi, 'watch'>,
  type: ResourceType,
  { labelSelector, resourceVersion, timeoutSeconds, quietMs, signal, clock, onHeard, take }: FollowOptions,
): Promise<Turn> {
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const lastMs = timeoutSeconds * 1000 + GRACE_MS;
  const watchdog = createWatchdog(clock, { quietMs, lastMs }, (why) => ending.abort(new Error(why)));
  /** When the server answered; undefined: it did not come to a watch. */
  let beganMs: number | undefined;
  let events = 0;
  const ended = (error?: unknown): Turn => {
    const watchedMs = beganMs === undefined ? 0 : clock.nowMs() - beganMs;
    return { ...(error !== undefined && { error }), watchedMs, events };
  };
  try {
    const changes = api.watch(type, {
      ...(labelSelector !== undefined && { labelSelector }),
      resourceVersion,
      timeoutSeconds,
      signal: ending.signal,
      onBytes: () => {
        beganMs ??= clock.nowMs();
        watchdog.heard();
        onHeard();
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
