import { existsSync } from 'node:fs';
import type { Api } from './api.ts';
import { isNodeReady } from './start-node.ts';
import type { ClusterPlan } from './plan.ts';
import { readState, runs } from './state.ts';
import type { ClusterState } from './state.ts';

/** How a cluster is. */
export interface ClusterStatus {
  /** `up`: everything runs; `broken`: something is there, and something is missing. */
  state: 'up' | 'broken' | 'absent';
  /** What is wrong, in words. */
  problems: readonly string[];
}

/** Decides how a cluster is from what is recorded of it and which of its processes run. */
export function judge(state: ClusterState | undefined, isRunning: typeof runs, nodesReady: boolean): ClusterStatus {
  if (state === undefined) return { state: 'absent', problems: [] };
  const gone = [...state.inits, ...state.programs].filter((record) => !isRunning(record));
  const problems = gone.map(({ name }) => `${name} does not run`);
  if (!nodesReady && gone.length === 0) problems.push('not all nodes are ready');
  // The last of what is started is the kubelet.
  if (!state.programs.some(({ name }) => name.endsWith('-kubelet'))) problems.push('it was never whole');
  return { state: problems.length === 0 ? 'up' : 'broken', problems };
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
