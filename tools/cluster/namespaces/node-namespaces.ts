import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../command.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import { recordOf, updateState } from './state.ts';
import type { ProcessRecord } from './state.ts';

/**
 * Folders with fixed paths that kubelet, containerd and CNI plugins write to. Each node mounts its own tmpfs at these
 * paths.
 */
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
  const options = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation=private'];
  // The shell prints a line when the namespaces and mounts are ready.
  const command = [...options, 'sh', '-c', 'echo ready; exec "$0"', pause];
  const child = spawn('unshare', command, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit').then(() => {
    throw new Error('namespaces could not be created: run this as root, on Linux, with CAP_SYS_ADMIN');
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  child.stdout.destroy();
  child.unref();
  const parent = child.pid ?? 0;
  const pid = Number(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim());
  const init = recordOf(`${node.name} init`, pid);
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
