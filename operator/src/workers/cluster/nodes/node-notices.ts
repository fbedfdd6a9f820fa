import { isDeepStrictEqual } from 'node:util';
import { TYPES } from '@svc-asr/kubernetes';
import type { NodeNotice } from '../../runtime.ts';
import type { Reflect } from '../objects/object-cache.ts';
import { readNotice, trimNode } from './notice.ts';

export interface NodeNoticesOptions {
  reflect: Reflect;
  /** Keys of annotations, and of taints besides the well-known ones, that announce the removal of a node. */
  keys: readonly string[];
  /** Called when a notice about a node has appeared, changed or disappeared. */
  onChange: (node: string, notice: NodeNotice | undefined) => void;
  nowMs: () => number;
}

/** The notices about all nodes, as far as this operator has observed them. */
export interface NodeNotices {
  /** Starts to follow the nodes. Does not wait for the first list, because the right to read nodes may be missing. */
  start: () => void;
  stop: () => void;
  /**
   * Returns the notice about a node for a pod that was scheduled to it at `scheduledAtMs`. Undefined if the pod was
   * scheduled after the notice. Such a pod tolerates the taint, and its replacement could be scheduled to the same
   * node.
   */
  find: (node: string, scheduledAtMs: number) => NodeNotice | undefined;
}

/** Follows the nodes of the cluster. */
export function createNodeNotices({ reflect, keys, onChange, nowMs }: NodeNoticesOptions): NodeNotices {
  const notices = new Map<string, { notice: NodeNotice; sinceMs: number }>();
  const reflector = reflect(TYPES.Node, {
    trim: (node) => trimNode(node, keys),
    onChange: (name) => {
      const node = reflector.get(name);
      const notice = node && readNotice(node, keys);
      const before = notices.get(name);
      if (isDeepStrictEqual(notice, before?.notice)) return;
      if (notice === undefined) notices.delete(name);
      // A cordon is often followed by a taint. The time of the first notice is kept, because both notices apply to the
      // same pods.
      else notices.set(name, { notice, sinceMs: before?.sinceMs ?? nowMs() });
      onChange(name, notice);
    },
  });
  return {
    start: () => void reflector.start(),
    stop: () => reflector.stop(),
    find: (node, scheduledAtMs) => {
      const found = notices.get(node);
      return found !== undefined && scheduledAtMs <= found.sinceMs ? found.notice : undefined;
    },
  };
}
