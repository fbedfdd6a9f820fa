import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from './command.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import { KERNEL_SETTINGS, kernelSettingPath } from './kernel-settings.ts';
import { amendState, recordOf } from './state.ts';
import type { ProcessRecord } from './state.ts';

const WITHIN_MS = 20_000;
const POLL_MS = 20;

/** Folders that kubelet, containerd and CNI plugins use wherever their own settings point; each node gets its own. */
const SYSTEM_FOLDERS = ['/run/containerd', '/var/lib/cni', '/var/lib/kubelet', '/var/log/containers'];

/** Which namespaces of a node a program enters. */
export type Rooms = readonly ('net' | 'mount' | 'pid')[];
export const WHOLE_NODE: Rooms = ['net', 'mount', 'pid'];

/** A command that runs another one inside of a node. */
export function enter(init: ProcessRecord, rooms: Rooms = WHOLE_NODE): [string, ...string[]] {
  return ['nsenter', `--target=${init.pid}`, ...rooms.map((room) => `--${room}`), '--'];
}

/**
 * Starts the first process of a node in namespaces of its own for network, mounts and processes. The kernel ends
 * everything in them when that process ends, and takes mounts, devices and rules with it.
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
  amendState(plan.state, ({ inits }) => ({ inits: [...inits, init] }));
  await mountSystemFolders(plan, init);
  await coverKernelSettings(node, init);
  return init;
}

async function findChild(failure: () => Error | undefined, parent: number | undefined): Promise<number> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const error = failure();
    if (error !== undefined) throw error;
    const child = parent === undefined ? 0 : firstChild(parent);
    // It is `unshare` still until it has mounted everything and becomes the program.
    if (child !== 0 && !commandOf(child).startsWith('unshare')) return child;
    if (performance.now() > deadline) {
      throw new Error('no namespaces could be made: this takes root, on Linux, with CAP_SYS_ADMIN');
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

/** Mounts need a folder to be mounted on; one that is not there is made, and removed by `down`. */
async function mountSystemFolders(plan: ClusterPlan, init: ProcessRecord): Promise<void> {
  for (const folder of SYSTEM_FOLDERS) {
    for (const path of missingFolders(folder)) {
      amendState(plan.state, ({ madeFolders }) => ({ madeFolders: [...madeFolders, path] }));
      mkdirSync(path);
    }
    await mount(init, ['-t', 'tmpfs', 'svc-asr', folder]);
  }
}

/** Puts plain files over kernel settings that the kubelet would change: they are the whole machine's. */
async function coverKernelSettings(node: NodePlan, init: ProcessRecord): Promise<void> {
  for (const [name, value] of Object.entries(KERNEL_SETTINGS)) {
    const file = join(node.folder, name);
    writeFileSync(file, `${value}\n`);
    await mount(init, ['--bind', file, kernelSettingPath(name)]);
  }
}

async function mount(init: ProcessRecord, how: readonly string[]): Promise<void> {
  const [command, ...args] = enter(init, ['mount']);
  await runCommand(command, [...args, 'mount', ...how]);
}

/** The folders of a path that are not there, the outermost first. */
function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [...missingFolders(dirname(path)), path];
}
