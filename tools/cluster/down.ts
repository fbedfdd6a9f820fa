import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeCgroup } from './cgroups.ts';
import { readMountPoints } from './mount-points.ts';
import type { ClusterPlan } from './plan.ts';
import { readState, runs } from './state.ts';
import type { ProcessRecord } from './state.ts';

const GONE_WITHIN_MS = 60_000;
const POLL_MS = 50;

/** Removes everything of a cluster, whole or not; whether there was anything. */
export async function takeDown(plan: ClusterPlan, findMountPoints = readMountPoints): Promise<boolean> {
  const state = readState(plan.state);
  if (state !== undefined) {
    // The kernel ends all processes of a node with its first one, and takes its mounts and devices.
    for (const init of state.inits) if (runs(init)) process.kill(init.pid, 'SIGKILL');
    await untilGone([...state.inits, ...state.programs]);
    for (const node of plan.nodes) await removeWhenEmpty(node.cgroup);
    // The kernel would take away what another cluster has mounted on a folder, and the cluster with it.
    const mountPoints = findMountPoints();
    for (const folder of state.madeFolders.toReversed()) if (!mountPoints.has(folder)) removeIfEmpty(folder);
  }
  const wasThere = existsSync(plan.folder);
  rmSync(plan.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  removeIfEmpty(dirname(plan.folder));
  return wasThere;
}

async function untilGone(records: readonly ProcessRecord[]): Promise<void> {
  const deadline = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    const left = records.filter(runs);
    if (left.length === 0) return;
    if (performance.now() > deadline) {
      const names = left.map(({ name, pid }) => `${name} (${pid})`).join(', ');
      throw new Error(`these processes do not end: ${names}; see what holds them, end them and run again`);
    }
    await sleep(POLL_MS);
  }
}

/** The kernel counts processes as members for a moment after they have ended. */
async function removeWhenEmpty(cgroup: string): Promise<void> {
  const deadline = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    try {
      removeCgroup(cgroup);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || performance.now() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else uses it by now.
  }
}
