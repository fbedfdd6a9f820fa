import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attachCluster } from './cluster.ts';
import { planCluster } from './plan.ts';
import { choose, settle } from './present.ts';
import { amendState } from './state.ts';
import type { ClusterStatus } from './status.ts';

const present = planCluster({ name: 'one', home: '/home', nodes: 2 });
const UP: ClusterStatus = { state: 'up', problems: [] };
const UNREADY: ClusterStatus = { state: 'unready', problems: ['not all nodes are ready'] };
const BROKEN: ClusterStatus = { state: 'broken', problems: ['etcd does not run'] };

test('a cluster that is up is taken', () => {
  expect(choose(UP, present, 2)).toEqual({ attach: true });
});

test('one that is broken, or not there, is made anew', () => {
  expect(choose(BROKEN, present, 2)).toEqual({ attach: false });
  expect(choose({ state: 'absent', problems: [] }, present, 2)).toEqual({ attach: false });
});

test('one that runs is never removed, whatever is wanted of it', () => {
  for (const choice of [choose(UP, present, 3), choose(UNREADY, present, 2)]) {
    expect(choice).toEqual({ attach: false, refusal: expect.stringContaining('npm run cluster -- down --name one') });
  }
});

test('one that is not ready is given time to become so', async () => {
  const later = [UNREADY, UP];
  expect(await settle(UNREADY, () => Promise.resolve(later.shift() ?? BROKEN), 60_000)).toBe(UP);
  expect(await settle(UNREADY, () => Promise.resolve(BROKEN), 60_000)).toBe(BROKEN);
  expect(await settle(UNREADY, () => Promise.reject(new Error('asked')), 0)).toBe(UNREADY);
});

test('whoever only wants to take a cluster neither makes nor removes one', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-asr-cluster-'));
  try {
    await expect(attachCluster({ name: 'one', home })).rejects.toThrow('there is no cluster one that runs: absent');
    const { folder, state } = planCluster({ name: 'one', home, nodes: 1 });
    mkdirSync(folder, { recursive: true });
    const gone = { name: 'etcd', pid: process.pid, startedAt: '0' };
    amendState(state, () => ({ programs: [gone], whole: true }));
    await expect(attachCluster({ name: 'one', home })).rejects.toThrow('etcd does not run');
  } finally {
    rmSync(home, { recursive: true });
  }
});
