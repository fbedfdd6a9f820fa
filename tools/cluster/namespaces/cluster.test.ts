import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../launch/processes.mjs';
import { createCgroup, hierarchies, removeCgroup } from './cgroups.ts';
import { openCluster } from './cluster.ts';
import { takeDown } from './down.ts';
import { planCluster } from './plan.ts';
import { findProblems, readState, recordOf, updateState } from './state.ts';
import { createVolumes } from './volumes.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-asr-cluster-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const ENDED = { name: 'etcd', pid: process.pid, startedAt: '0' };
const RUNNING = recordOf('kubelet', process.pid);

test('isRunning distinguishes a process from a later one with the same pid', () => {
  expect(isRunning(RUNNING)).toBe(true);
  expect(isRunning({ ...RUNNING, startedAt: '0' })).toBe(false);
});

test('updateState adds a change to the recorded state and keeps the other recorded values', () => {
  const file = join(folder, 'state.json');
  expect(readState(file)).toBeUndefined();
  updateState(file, () => ({ nodes: 2 }));
  updateState(file, ({ programs }) => ({ programs: [...programs, RUNNING] }));
  expect(readState(file)).toEqual({ nodes: 2, inits: [], programs: [RUNNING], apiPort: 0, complete: false });
});

test('findProblems lists programs that have ended, and reports a start that was not completed', () => {
  const state = { nodes: 1, inits: [], programs: [RUNNING], apiPort: 1, complete: true };
  expect(findProblems(state)).toEqual([]);
  expect(findProblems({ ...state, inits: [ENDED] })).toEqual(['etcd does not run']);
  expect(findProblems({ ...state, complete: false })).toEqual(['its start was not completed']);
});

test('openCluster rejects if there is no cluster, or if one of its programs has ended', async () => {
  const options = { name: 'one', home: folder };
  await expect(openCluster(options)).rejects.toThrow('start it with `npm run cluster -- up`');
  const plan = planCluster({ ...options, nodes: 1 });
  mkdirSync(plan.folder, { recursive: true });
  updateState(plan.state, () => ({ programs: [ENDED], complete: true }));
  await expect(openCluster(options)).rejects.toThrow('the cluster one does not run: etcd does not run');
});

test('takeDown removes what a crash left behind, and does nothing if there is no cluster', async () => {
  const plan = planCluster({ name: 'left', home: folder, nodes: 1 });
  expect(await takeDown(plan)).toBe(false);
  mkdirSync(plan.folder, { recursive: true });
  updateState(plan.state, () => ({ inits: [ENDED], programs: [ENDED] }));
  expect(await takeDown(plan)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test('control groups are created and removed in every cgroup v1 hierarchy', () => {
  for (const controller of ['cpu', 'cpuset']) {
    mkdirSync(join(folder, controller));
    writeFileSync(join(folder, controller, 'cgroup.procs'), '');
  }
  mkdirSync(join(folder, 'not-a-hierarchy'));
  expect(hierarchies(folder).sort()).toEqual([join(folder, 'cpu'), join(folder, 'cpuset')]);
  createCgroup('mine', folder);
  for (const controller of ['cpu', 'cpuset']) expect(readdirSync(join(folder, controller))).toContain('mine');
  mkdirSync(join(folder, 'cpu/mine/pod/container'), { recursive: true });
  removeCgroup('mine', folder);
  removeCgroup('mine', folder);
  for (const controller of ['cpu', 'cpuset']) expect(readdirSync(join(folder, controller))).toEqual(['cgroup.procs']);
});

test('createVolumes returns a default StorageClass and a volume for each folder that it creates', () => {
  const [storageClass, ...volumes] = createVolumes(folder);
  expect(storageClass?.metadata?.annotations).toEqual({ 'storageclass.kubernetes.io/is-default-class': 'true' });
  expect(volumes.map(({ metadata }) => metadata?.name).sort()).toEqual(readdirSync(folder).sort());
});
