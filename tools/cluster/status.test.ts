import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseClusterArguments } from './arguments.ts';
import { hierarchies, makeCgroup, removeCgroup } from './cgroups.ts';
import { takeDown } from './down.ts';
import { planCluster } from './plan.ts';
import { amendState, NOTHING, readState, recordOf, runs } from './state.ts';
import type { ClusterState } from './state.ts';
import { inspect, judge } from './status.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-asr-cluster-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const record = (name: string) => ({ name, pid: 1, startedAt: '1' });
const WHOLE: ClusterState = {
  ...NOTHING,
  whole: true,
  inits: [record('node-1 init')],
  programs: [record('node-1-kubelet')],
};

test('a cluster is up when all of it runs and its nodes are ready', () => {
  expect(judge(WHOLE, () => true, true)).toEqual({ state: 'up', problems: [] });
  expect(judge(undefined, () => true, true)).toEqual({ state: 'absent', problems: [] });
});

test('one of which something is missing is broken, and says what', () => {
  expect(judge(WHOLE, ({ name }) => name !== 'node-1-kubelet', false)).toEqual({
    state: 'broken',
    problems: ['node-1-kubelet does not run'],
  });
  expect(judge({ ...WHOLE, whole: false }, () => true, true)).toEqual({
    state: 'broken',
    problems: ['it was never whole'],
  });
});

test('one that runs while its nodes are not ready is not broken', () => {
  expect(judge(WHOLE, () => true, false)).toEqual({ state: 'unready', problems: ['not all nodes are ready'] });
});

test('a process is told from a later one with its number', () => {
  const mine = recordOf('test', process.pid);
  expect(runs(mine)).toBe(true);
  expect(runs({ ...mine, startedAt: '0' })).toBe(false);
});

test('what is recorded is added to what was recorded', () => {
  const file = join(folder, 'state.json');
  expect(readState(file)).toBeUndefined();
  amendState(file, () => ({ nodes: 2 }));
  amendState(file, ({ madeFolders }) => ({ madeFolders: [...madeFolders, '/a'] }));
  expect(readState(file)).toEqual({ ...NOTHING, nodes: 2, madeFolders: ['/a'] });
});

test('what a crash left is removed; where there is nothing, nothing happens', async () => {
  const plan = planCluster({ name: 'left', home: folder, nodes: 1 });
  expect(await takeDown(plan)).toBe(false);
  const made = join(folder, 'made');
  const used = join(folder, 'used');
  for (const path of [plan.folder, made, used]) mkdirSync(path, { recursive: true });
  writeFileSync(join(used, 'by-somebody-else'), '');
  const gone = { name: 'gone', pid: process.pid, startedAt: '0' };
  amendState(plan.state, () => ({ inits: [gone], programs: [gone], madeFolders: [made, used] }));
  expect((await inspect(plan, undefined)).state).toBe('broken');
  expect(await takeDown(plan)).toBe(true);
  expect((await inspect(plan, undefined)).state).toBe('absent');
  expect(readdirSync(folder)).toEqual(['used']);
});

test('a folder that another cluster has mounted something on is left to it', async () => {
  const plan = planCluster({ name: 'left', home: folder, nodes: 1 });
  const [mine, shared] = [join(folder, 'mine'), join(folder, 'shared')];
  for (const path of [plan.folder, mine, shared]) mkdirSync(path, { recursive: true });
  amendState(plan.state, () => ({ madeFolders: [mine, shared] }));
  await takeDown(plan, () => new Set([shared]));
  expect(readdirSync(folder)).toEqual(['shared']);
});

test('control groups are made and removed in every hierarchy of version 1', () => {
  for (const controller of ['cpu', 'cpuset']) {
    mkdirSync(join(folder, controller));
    writeFileSync(join(folder, controller, 'cgroup.procs'), '');
  }
  mkdirSync(join(folder, 'not-a-hierarchy'));
  expect(hierarchies(folder).sort()).toEqual([join(folder, 'cpu'), join(folder, 'cpuset')]);
  makeCgroup('mine', folder);
  mkdirSync(join(folder, 'cpu/mine/pod/container'), { recursive: true });
  removeCgroup('mine', folder);
  removeCgroup('mine', folder);
  expect(readdirSync(join(folder, 'cpu'))).toEqual(['cgroup.procs']);
});

test('the arguments of the command are read', () => {
  expect(parseClusterArguments(['up', '--nodes', '2'])).toEqual({ action: 'up', name: 'default', nodes: 2 });
  expect(parseClusterArguments(['down', '--name', 'x'])).toEqual({ action: 'down', name: 'x', nodes: 1 });
  expect(parseClusterArguments([])).toBeUndefined();
  expect(() => parseClusterArguments(['restart'])).toThrow('"restart" is none of up, down, status');
});
