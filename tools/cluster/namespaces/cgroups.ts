import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/** Returns the root folders of control groups: one for each hierarchy in version 1, a single one in version 2. */
export function hierarchies(root = ROOT): string[] {
  if (existsSync(join(root, 'cgroup.controllers'))) return [root];
  return readdirSync(root)
    .map((name) => join(root, name))
    .filter((folder) => existsSync(join(folder, 'cgroup.procs')));
}

/** Creates a control group with all available controllers. */
export function createCgroup(name: string, root = ROOT): void {
  for (const hierarchy of hierarchies(root)) {
    const folder = join(hierarchy, name);
    mkdirSync(folder, { recursive: true });
    if (hierarchy === root) enableControllers(root, folder);
    // In version 1 of cgroups, a new group has no processors and memory nodes until they are assigned.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      if (hierarchy === root || !existsSync(join(folder, file))) continue;
      writeFileSync(join(folder, file), readFileSync(join(hierarchy, file), 'utf8').trim());
    }
  }
}

function enableControllers(root: string, folder: string): void {
  const controllers = readFileSync(join(root, 'cgroup.controllers'), 'utf8').trim().split(' ');
  for (const at of [root, folder]) {
    for (const controller of controllers) {
      try {
        writeFileSync(join(at, 'cgroup.subtree_control'), `+${controller}`);
      } catch {
        // Some controllers cannot be delegated. The kubelet reports those that it misses.
      }
    }
  }
}

/** Removes a control group and its subgroups. Fails with EBUSY while processes are left in them. */
export function removeCgroup(name: string, root = ROOT): void {
  for (const hierarchy of hierarchies(root)) removeTree(join(hierarchy, name));
}

function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  }
  rmdirSync(folder);
}
