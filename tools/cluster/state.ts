import { readIfPresent, writeAtomically } from '../start/files.ts';
import { isAlive, startTime } from '../supervise/alive.ts';

/** A process that was started, by which it can be told from a later one with the same number. */
export interface ProcessRecord {
  name: string;
  pid: number;
  startedAt: string | undefined;
}

/** What a cluster leaves on this machine outside of its folder, and what it needs to be found again. */
export interface ClusterState {
  nodes: number;
  /** The first process of each node: all others of the node end with it. */
  inits: readonly ProcessRecord[];
  /** Everything else that was started. */
  programs: readonly ProcessRecord[];
  /** Folders of the system that were made to mount something on, in the order of their making. */
  madeFolders: readonly string[];
  /** The loopback port that leads to the API server. */
  apiPort: number;
  /** Whether everything of it has been started: what was not is of use to nobody. */
  whole: boolean;
}

export const NOTHING: ClusterState = { nodes: 1, inits: [], programs: [], madeFolders: [], apiPort: 0, whole: false };

/** What is recorded of a cluster; undefined where there is none. */
export function readState(file: string): ClusterState | undefined {
  const text = readIfPresent(file);
  return text === undefined ? undefined : (JSON.parse(text) as ClusterState);
}

/** Records more of a cluster, at once: what is not recorded would be left behind by a crash. */
export function amendState(file: string, change: (state: ClusterState) => Partial<ClusterState>): void {
  const state = readState(file) ?? NOTHING;
  writeAtomically(file, `${JSON.stringify({ ...state, ...change(state) }, null, 2)}\n`);
}

/** A record of a process that runs. */
export function recordOf(name: string, pid: number): ProcessRecord {
  return { name, pid, startedAt: startTime(pid) };
}

/** Whether the process of a record still runs. */
export function runs({ pid, startedAt }: ProcessRecord): boolean {
  return isAlive(pid) && startTime(pid) === startedAt;
}
