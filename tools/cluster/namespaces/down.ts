import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRunning } from '../../launch/processes.mjs';
import { waitUntil } from '../../start/ready.ts';
import { removeCgroup } from './cgroups.ts';
import type { ClusterPlan } from './plan.ts';
import { readState } from './state.ts';

const TIMEOUT_MS = 60_000;

/**
 * Removes everything that belongs to a cluster, even if the cluster was not started completely. Returns whether there
 * was anything to remove.
 */
export async function takeDown(plan: ClusterPlan): Promise<boolean> {
  const state = readState(plan.state);
  if (state !== undefined) {
    // When the first process of a node ends, the kernel ends all others and removes the node's mounts and network
    // devices.
    for (const init of state.inits) if (isRunning(init)) process.kill(init.pid, 'SIGKILL');
    const describeRunning = () => {
      const running = [...state.inits, ...state.programs].filter(isRunning);
      const names = running.map(({ name, pid }) => `${name} (pid ${pid})`);
      return names.length === 0 ? undefined : `end these processes and try again: ${names.join(', ')}`;
    };
    await waitUntil('the end of all processes', describeRunning, TIMEOUT_MS);
    // The kernel counts processes as members of a control group for a moment after they ended.
    for (const { cgroup } of plan.nodes) {
      await waitUntil(`the removal of ${cgroup}`, () => removeCgroupIfEmpty(cgroup), TIMEOUT_MS);
    }
  }
  const existed = existsSync(plan.folder);
  rmSync(plan.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  try {
    rmdirSync(dirname(plan.folder));
  } catch {
    // The parent folder holds another cluster, or does not exist.
  }
  return existed;
}

function removeCgroupIfEmpty(cgroup: string): string | undefined {
  try {
    removeCgroup(cgroup);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EBUSY') return 'it still has processes';
    throw error;
  }
}
