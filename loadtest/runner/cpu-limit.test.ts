import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { createCpuLimit } from './cpu-limit.ts';

const PID = 7;

/** Creates folders that look like cgroups and /proc, with these files and contents. */
function createSystem(files: Record<string, string>) {
  const folder = temporaryFolder('cgroups');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const cgroupRoot = join(folder, 'cgroup');
  return {
    cgroupRoot,
    procRoot: join(folder, 'proc'),
    removeGroup: (group: string) => rmSync(group, { recursive: true }),
    read: (...path: string[]) => readFileSync(join(cgroupRoot, ...path), 'utf8'),
    groupIn: (...path: string[]) =>
      readdirSync(join(cgroupRoot, ...path)).find((name) => name.startsWith('svc-asr-loadtest-')) ?? '',
  };
}

describe('createCpuLimit', () => {
  test('creates a group with a quota in cgroups version 1, and moves processes into the group and back', () => {
    const system = createSystem({
      'cgroup/cpu,cpuacct/cgroup.procs': '',
      'cgroup/cpu,cpuacct/pod/cgroup.procs': '',
      'cgroup/memory/cgroup.procs': '',
      'proc/self/cgroup': '2:memory:/other\n1:cpu,cpuacct:/pod\n0::/\n',
      [`proc/${PID}/cgroup`]: '2:memory:/other\n1:cpu,cpuacct:/pod\n0::/\n',
    });
    const limit = createCpuLimit(0.5, system);
    const group = join('pod', system.groupIn('cpu,cpuacct', 'pod'));
    expect(system.read('cpu,cpuacct', group, 'cpu.cfs_quota_us')).toBe('50000');
    expect(system.read('cpu,cpuacct', group, 'cpu.cfs_period_us')).toBe('100000');
    limit.add(PID);
    expect(system.read('cpu,cpuacct', group, 'cgroup.procs')).toBe(`${PID}`);
    limit.remove();
    expect(system.read('cpu,cpuacct', 'pod', 'cgroup.procs')).toBe(`${PID}`);
    expect(existsSync(join(system.cgroupRoot, 'cpu,cpuacct', group))).toBe(false);
  });

  test('creates a group with cpu.max in cgroups version 2, and moves processes back out of the group', () => {
    const system = createSystem({
      'cgroup/cgroup.controllers': 'cpuset cpu memory\n',
      'cgroup/user/cgroup.procs': '',
      [`proc/${PID}/cgroup`]: '0::/user\n',
    });
    const limit = createCpuLimit(0.5, system);
    const group = system.groupIn();
    expect(system.read('cgroup.subtree_control')).toBe('+cpu');
    expect(system.read(group, 'cpu.max')).toBe('50000 100000');
    limit.add(PID);
    limit.remove();
    expect(system.read('user', 'cgroup.procs')).toBe(`${PID}`);
    expect(system.groupIn()).toBe('');
  });

  test('remove() does not move a process back to its earlier group if the process has ended', () => {
    const system = createSystem({
      'cgroup/cpu/cgroup.procs': '',
      'proc/self/cgroup': '1:cpu:/elsewhere\n',
      [`proc/${PID}/cgroup`]: '1:cpu:/\n',
    });
    const limit = createCpuLimit(0.5, system);
    limit.add(PID);
    rmSync(join(system.procRoot, `${PID}`), { recursive: true });
    limit.remove();
    expect(system.read('cpu', 'cgroup.procs')).toBe('');
  });

  test.each([
    ['without cgroups', {}],
    ['with cgroups v1 and no cpu controller', { 'cgroup/cpuset/cgroup.procs': '', 'cgroup/cpuacct/cgroup.procs': '' }],
    ['with cgroups v2 and no cpu controller', { 'cgroup/cgroup.controllers': 'memory pids\n' }],
  ])('refuses a system %s', (_name, files: Record<string, string>) => {
    expect(() => createCpuLimit(0.5, createSystem(files))).toThrow(
      'has no cpu controller. Run on Linux with cgroups, version 1 or 2.',
    );
  });

  test('throws an error with the file system error if the group cannot be created', () => {
    const system = createSystem({ 'cgroup/cpu/cgroup.procs': '', 'proc/self/cgroup': '1:cpu:/\n' });
    writeFileSync(join(system.cgroupRoot, 'cpu', `svc-asr-loadtest-${process.pid}`), '');
    expect(() => createCpuLimit(0.5, system)).toThrow(/by a control group in .*cpu \(EEXIST\)\. Run as root\./);
  });
});
