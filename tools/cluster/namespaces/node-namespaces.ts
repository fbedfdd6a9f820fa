import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../command.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import { recordOf, updateState } from './state.ts';
import type { ProcessRecord } from './state.ts';

const TIMEOUT_MS = 20_000;
const POLL_MS = 20;

/** Folders with fixed paths that kubelet, containerd and CNI plugins write to. Each node mounts its own tmpfs there. */
const SYSTEM_FOLDERS = ['/run/containerd', '/var/lib/cni', '/var/lib/kubelet', '/var/log/containers'];

/** Kernel settings that a kubelet requires, with the values that it would write. They apply to the whole machine. */
const KERNEL_SETTINGS: Readonly<Record<string, number>> = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};

/** Namespaces of a node that a program enters. */
export type Namespaces = readonly ('net' | 'mount' | 'pid')[];
const ALL: Namespaces = ['net', 'mount', 'pid'];

/** Returns the command line prefix that runs a command inside a node. */
export function enter(init: ProcessRecord, namespaces: Namespaces = ALL): [string, ...string[]] {
  return ['nsenter', `--target=${init.pid}`, ...namespaces.map((name) => `--${name}`), '--'];
}

/** Runs a command in some namespaces of a node; resolves with its output. */
export function runInside(init: ProcessRecord, namespaces: Namespaces, command: readonly string[]): Promise<string> {
  const [program, ...args] = enter(init, namespaces);
  return runCommand(program, [...args, ...command]);
}

/**
 * Starts the first process of a node in new namespaces for network, mounts and processes. When that process ends, the
 * kernel ends all others of the node and removes its mounts, network devices and iptables rules.
 */
export async function startNamespaces(plan: ClusterPlan, node: NodePlan, pause: string): Promise<ProcessRecord> {
  const child = spawn(
    'unshare',
    ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation=private', pause],
    { detached: true, stdio: 'ignore' },
  );
  let failure: Error | undefined;
  child.on('error', (error) => (failure = error));
  child.unref();
  const init = recordOf(`${node.name} init`, await findChild(() => failure, child.pid));
  updateState(plan.state, ({ inits }) => ({ inits: [...inits, init] }));
  for (const folder of SYSTEM_FOLDERS) {
    mkdirSync(folder, { recursive: true });
    await runInside(init, ['mount'], ['mount', '-t', 'tmpfs', 'svc-asr', folder]);
  }
  for (const [name, value] of Object.entries(KERNEL_SETTINGS)) {
    const file = join(node.folder, name.replaceAll('/', '.'));
    writeFileSync(file, `${value}\n`);
    // The kubelet reads and writes this file instead of the setting of the machine.
    await runInside(init, ['mount'], ['mount', '--bind', file, `/proc/sys/${name}`]);
  }
  return init;
}

async function findChild(failure: () => Error | undefined, parent: number | undefined): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const error = failure();
    if (error !== undefined) throw error;
    const child = parent === undefined ? 0 : firstChild(parent);
    // The child is a copy of unshare until its mounts are ready and it executes the program.
    if (child !== 0 && !commandOf(child).startsWith('unshare')) return child;
    if (performance.now() > deadline) {
      throw new Error('namespaces could not be created: run this as root, on Linux, with CAP_SYS_ADMIN');
    }
    await sleep(POLL_MS);
  }
}

function firstChild(pid: number): number {
  return Number(readProc(`/proc/${pid}/task/${pid}/children`).split(' ')[0] ?? 0);
}

function commandOf(pid: number): string {
  const command = readProc(`/proc/${pid}/cmdline`).split('\0')[0] ?? '';
  return command === '' ? 'unshare' : command;
}

function readProc(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
