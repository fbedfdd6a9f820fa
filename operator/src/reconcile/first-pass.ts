import type { Result } from './outcome.ts';
import { SYNC } from './work.ts';

/** Follows the first pass over all resources: when it is over, Redis holds what the source says. */
export interface FirstPass {
  /** A key was queued. */
  queued: (key: string) => void;
  /** A key was tried. */
  tried: (key: string, result: Result) => void;
  done: () => boolean;
}

/** Makes a pass that begins with the first sync. What fails by its own fault does not hold it up, an absent Redis does. */
export function createFirstPass(): FirstPass {
  const open = new Set<string>([SYNC]);
  return {
    queued: (key) => {
      // Once it is over it stays over.
      if (open.size > 0) open.add(key);
    },
    tried: (key, result) => {
      if (result !== 'unavailable') open.delete(key);
    },
    done: () => open.size === 0,
  };
}
