import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hierarchies } from '../../tools/cluster/namespaces/cgroups.ts';

/** Period of the limit in microseconds. It is the default of Kubernetes. */
const PERIOD_US = 100_000;

/** A control group that limits the total CPU time of its processes. */
export interface CpuLimit {
  /** Moves a process with all its threads into the group. */
  add: (pid: number) => void;
  /** Moves the processes back to their own groups and removes the group. */
  remove: () => void;
}

/** Folders and functions of the system, which tests replace. */
export interface CpuLimitParts {
  readonly cgroupRoot: string;
  readonly procRoot: string;
  readonly removeGroup: (folder: string) => void;
}

const SYSTEM: CpuLimitParts = { cgroupRoot: '/sys/fs/cgroup', procRoot: '/proc', removeGroup: rmdirSync };

/**
 * Creates a control group whose processes together may use this many cores. Supports cgroups of version 1 and 2. If the
 * system does not allow the group, throws an error with the reason.
 */
export function createCpuLimit(cores: number, parts: CpuLimitParts = SYSTEM): CpuLimit {
  const { cgroupRoot, procRoot, removeGroup } = parts;
  const hierarchy = findCpuHierarchy(cgroupRoot);
  const isVersion2 = hierarchy === cgroupRoot;
  // In version 1, the new group is created inside the group of the load test, so that the limits of the outer group
  // still apply. In version 2, it is created at the root, because a group that has processes cannot limit the CPU of a
  // group inside it.
  const own = isVersion2 ? '/' : readGroup(procRoot, 'self', isVersion2);
  const parent = existsSync(join(hierarchy, own)) ? join(hierarchy, own) : hierarchy;
  const group = join(parent, `svc-asr-loadtest-${process.pid}`);
  const quotaUs = Math.round(cores * PERIOD_US);
  try {
    if (isVersion2) writeFileSync(join(hierarchy, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(group);
    if (isVersion2) writeFileSync(join(group, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
    else {
      writeFileSync(join(group, 'cpu.cfs_period_us'), `${PERIOD_US}`);
      writeFileSync(join(group, 'cpu.cfs_quota_us'), `${quotaUs}`);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(`cannot limit the CPU of the worker by a control group in ${hierarchy} (${code}). Run as root.`, {
      cause: error,
    });
  }
  /** Group to which each process belonged before it was moved. */
  const groups = new Map<number, string>();
  return {
    add: (pid) => {
      groups.set(pid, readGroup(procRoot, `${pid}`, isVersion2));
      writeFileSync(join(group, 'cgroup.procs'), `${pid}`);
    },
    remove: () => {
      for (const [pid, path] of groups) {
        // The process may have ended.
        if (existsSync(join(procRoot, `${pid}`))) writeFileSync(join(hierarchy, path, 'cgroup.procs'), `${pid}`);
      }
      groups.clear();
      removeGroup(group);
    },
  };
}

/** Finds the root folder of the cgroup hierarchy that has the cpu controller. */
function findCpuHierarchy(root: string): string {
  const found = existsSync(root) ? hierarchies(root) : [];
  const cpu = found.find((folder) => (folder === root ? hasCpu(root) : isCpu(basename(folder))));
  if (cpu !== undefined) return cpu;
  throw new Error(
    `cannot limit the CPU of the worker: ${root} has no cpu controller. Run on Linux with cgroups, version 1 or 2.`,
  );
}

const isCpu = (name: string): boolean => name.split(',').includes('cpu');

/** Returns whether the cpu controller is available at the root of a hierarchy of version 2. */
function hasCpu(root: string): boolean {
  return readFileSync(join(root, 'cgroup.controllers'), 'utf8').trim().split(' ').includes('cpu');
}

/** Returns the group of a process in the hierarchy that has the cpu controller. */
function readGroup(procRoot: string, process: string, isVersion2: boolean): string {
  const lines = readFileSync(join(procRoot, process, 'cgroup'), 'utf8').split('\n');
  const fields = lines.map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const found = fields.find((field) => (isVersion2 ? field?.[1] === '' : isCpu(field?.[1] ?? '')));
  return found?.[2] ?? '/';
}
