import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterPlan } from './plan.ts';
import type { ClusterStatus } from './status.ts';

const READY_WITHIN_MS = 180_000;
const POLL_MS = 500;

/** What to do about a cluster that may be there already. */
export interface Choice {
  /** Whether to take it as it is. */
  attach: boolean;
  /** Why it can be neither taken nor replaced: it runs, and only a person knows whether somebody uses it. */
  refusal?: string;
}

/** Decides what becomes of the cluster that is there when one with a number of nodes is wanted. */
export function choose({ state, problems }: ClusterStatus, present: ClusterPlan, nodes: number): Choice {
  if (state === 'absent' || state === 'broken') return { attach: false };
  const remove = `remove it with \`npm run cluster -- down --name ${present.name}\` if nobody uses it`;
  if (state === 'unready') {
    return {
      attach: false,
      refusal: `the cluster ${present.name} runs, but ${problems.join(', ')}; see ${present.logs}, or ${remove}`,
    };
  }
  if (present.nodes.length === nodes) return { attach: true };
  const has = `the cluster ${present.name} runs with another number of nodes, ${present.nodes.length}`;
  return { attach: false, refusal: `${has}: ask for as many, or ${remove}` };
}

/** Waits while a cluster runs and is not ready; resolves with how it is then. */
export async function settle(
  first: ClusterStatus,
  look: () => Promise<ClusterStatus>,
  withinMs = READY_WITHIN_MS,
): Promise<ClusterStatus> {
  const deadline = performance.now() + withinMs;
  let status = first;
  while (status.state === 'unready' && performance.now() < deadline) {
    await sleep(POLL_MS);
    status = await look();
  }
  return status;
}
