import type { Result } from './outcome.ts';
import { SYNC } from './work.ts';

/**
 * Tracks the first pass over all resources. When it is done, Redis matches the source, except for resources that cannot
 * be applied.
 */
export interface FirstPass {
  /** Call when a key was queued. */
  queued: (key: string) => void;
  /** Call after an attempt to reconcile a key. */
  tried: (key: string, result: Result) => void;
  done: () => boolean;
}

/**
 * Creates a pass that starts with the first sync. A resource that cannot be applied does not block it, but an
 * unavailable Redis or API server does.
 */
export function createFirstPass(): FirstPass {
  const open = new Set<string>([SYNC]);
  /**
   * Keys that were tried in this pass. A resync queues them again, but the pass does not wait for them a second time.
   */
  const closed = new Set<string>();
  return {
    queued: (key) => {
      // A pass that is done stays done.
      if (open.size > 0 && !closed.has(key)) open.add(key);
    },
    tried: (key, result) => {
      if (result === 'unavailable') return;
      open.delete(key);
      if (open.size > 0) closed.add(key);
      else closed.clear();
    },
    done: () => open.size === 0,
  };
}
