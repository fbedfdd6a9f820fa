import { LedgerUnavailable } from './link.ts';

/**
 * One element of the reply of CLUSTER SLOTS: first and last slot, and the nodes that store the slots, the master first.
 */
type SlotRange = [from: number, to: number, master: [host: string, port: number, id: string], ...replicas: unknown[]];

const SLOTS = 16_384;

/**
 * Returns the masters that store all slots, according to a reply of CLUSTER SLOTS. Throws if a slot has no master, or
 * if the client does not know a master yet. Otherwise a scan of the known masters would miss keys.
 */
export function findMasters<Node extends { id: string }>(slots: unknown, known: readonly Node[]): Node[] {
  const ranges = slots as SlotRange[];
  const covered = ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  if (covered !== SLOTS) throw new LedgerUnavailable(`only ${covered} of ${SLOTS} slots of the cluster have a master`);
  const ids = [...new Set(ranges.map(([, , [, , id]]) => id))];
  return ids.map((id) => {
    const node = known.find((candidate) => candidate.id === id);
    if (node === undefined) throw new LedgerUnavailable(`the cluster has a new master ${id}; retry`);
    return node;
  });
}
