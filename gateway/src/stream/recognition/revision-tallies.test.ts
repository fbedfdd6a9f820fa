import { latencyBucket } from '@svc-asr/core';
import type { RevisionTally } from '@svc-asr/ledger';
import { RevisionTallies } from './revision-tallies.ts';

test('tells what was counted once, and keeps what could not be told', async () => {
  const told: [string, string, RevisionTally][] = [];
  let away = true;
  const tallies = new RevisionTallies({
    add: (model, revision, tally) => {
      if (away) return Promise.reject(new Error('away'));
      told.push([model, revision, tally]);
      return Promise.resolve();
    },
  });
  tallies.countStream('m', 'r1', false);
  tallies.countStream('m', 'r1', true);
  tallies.countDelta('m', 'r2', 120);
  await expect(tallies.write()).rejects.toThrow('away');
  away = false;
  tallies.countStream('m', 'r1', false);
  await tallies.write();
  await tallies.write();
  expect(told).toMatchObject([
    ['m', 'r1', { streams: 3, failures: 1 }],
    ['m', 'r2', { streams: 0, failures: 0 }],
  ]);
  expect(told[1]?.[2].latencies[latencyBucket(120)]).toBe(1);
  expect(told).toHaveLength(2);
});
