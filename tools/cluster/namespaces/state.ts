import { readIfPresent, writeAtomically } from '../../start/files.ts';
import { isRunning, startTime } from '../../launch/processes.mjs';

/** A started process. Its start time distinguishes it from a later process with the same pid. */
export interface ProcessRecord {
  name: string;
  pid: number;
  startedAt: string | undefined;
}

/**
 * Record of a cluster. Later commands use this record to find the cluster and to remove everything that the cluster
 * uses.
 */
export interface ClusterState {
  nodes: number;
  /** First process of each node. When it ends, the kernel ends all processes of the node. */
  inits: readonly ProcessRecord[];
  programs: readonly ProcessRecord[];
  /** Loopback port of the API server. */
  apiPort: number;
  /** True once every program has been started. */
  complete: boolean;
}

const EMPTY: ClusterState = { nodes: 1, inits: [], programs: [], apiPort: 0, complete: false };

/** Returns the recorded state of a cluster, or undefined if none is recorded. */
export function readState(file: string): ClusterState | undefined {
  const text = readIfPresent(file);
  return text === undefined ? undefined : (JSON.parse(text) as ClusterState);
}

/**
 * Changes the record of a cluster. Call this function as soon as something was started, so that it can be found and
 * removed after a crash.
 */
export function updateState(file: string, change: (state: ClusterState) => Partial<ClusterState>): void {
  const state = readState(file) ?? EMPTY;
  writeAtomically(file, `${JSON.stringify({ ...state, ...change(state) }, null, 2)}\n`);
}

/** Creates the record of a running process. */
export function recordOf(name: string, pid: number): ProcessRecord {
  return { name, pid, startedAt: startTime(pid) };
}

/** Describes which parts of a recorded cluster do not run. Returns an empty list if all parts run. */
export function findProblems(state: ClusterState): string[] {
  const stopped = [...state.inits, ...state.programs].filter((record) => !isRunning(record));
  const problems = stopped.map(({ name }) => `${name} does not run`);
  return state.complete ? problems : [...problems, 'its start was not completed'];
}
