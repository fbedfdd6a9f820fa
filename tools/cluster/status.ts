import { existsSync } from 'node:fs';
import type { Api } from './api.ts';
import { isNodeReady } from './start-node.ts';
import type { ClusterPlan } from './plan.ts';
import { readState, runs } from './state.ts';
import type { ClusterState } from './state.ts';

/** How a cluster is. */
export interface ClusterStatus {
  /** `up`: everything runs; `unready`: so it does, but nodes take no pods now; `broken`: something of it is missing. */
  state: 'up' | 'unready' | 'broken' | 'absent';
  /** What is wrong, in words. */
  problems: readonly string[];
}

/** Decides how a cluster is from what is recorded of it and which of its processes run. */
export function judge(state: ClusterState | undefined, isRunning: typeof runs, nodesReady: boolean): ClusterStatus {
  if (state === undefined) return { state: 'absent', problems: [] };
  const gone = [...state.inits, ...state.programs].filter((record) => !isRunning(record));
  const problems = gone.map(({ name }) => `${name} does not run`);
  if (!state.whole) problems.push('it was never whole');
  if (problems.length > 0) return { state: 'broken', problems };
  return nodesReady ? { state: 'up', problems } : { state: 'unready', problems: ['not all nodes are ready'] };
}

/** How a cluster is. */
export async function inspect(plan: ClusterPlan, api: Api | undefined): Promise<ClusterStatus> {
  if (!existsSync(plan.folder)) return { state: 'absent', problems: [] };
  const state = readState(plan.state);
  if (state === undefined) return { state: 'broken', problems: ['it was never whole'] };
  const isReady = (name: string) => (api === undefined ? Promise.resolve(false) : isNodeReady(api, name));
  const ready = await Promise.all(plan.nodes.map(({ name }) => isReady(name).catch(() => false)));
  return judge(state, runs, ready.every(Boolean));
}
