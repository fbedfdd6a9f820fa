import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../../launch/processes.mjs';
import { removeCgroup } from './cgroups.ts';
import type { ClusterPlan } from './plan.ts';
import { readState } from './state.ts';
import type { ProcessRecord } from './state.ts';

const TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** Removes everything of a cluster, including an incomplete one. Returns whether there was anything to remove. */
export async function takeDown(plan: ClusterPlan): Promise<boolean> {
  const state = readState(plan.state);
  if (state !== undefined) {
    // With the first process of a node the kernel ends all others and removes the node's mounts and network devices.
    for (const init of state.inits) if (isRunning(init)) process.kill(init.pid, 'SIGKILL');
    await waitForEnd([...state.inits, ...state.programs]);
    for (const node of plan.nodes) await removeWhenEmpty(node.cgroup);
  }
  const existed = existsSync(plan.folder);
  rmSync(plan.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  removeIfEmpty(dirname(plan.folder));
  return existed;
}

async function waitForEnd(records: readonly ProcessRecord[]): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const running = records.filter(isRunning);
    if (running.length === 0) return;
    if (performance.now() > deadline) {
      const names = running.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ');
      throw new Error(`these processes did not end within ${TIMEOUT_MS / 1000} s: ${names}; end them and try again`);
    }
    await sleep(POLL_MS);
  }
}

/** Retries because the kernel counts processes as members of a control group for a moment after they ended. */
async function removeWhenEmpty(cgroup: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
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
    // Another cluster uses it.
  }
}
