import { latencyBucket } from '@svc-asr/core';
import type { RevisionTally } from '@svc-asr/ledger';
import { RevisionTallies } from './revision-tallies.ts';

test('RevisionTallies writes each count only once, and keeps counts whose write failed', async () => {
  const written: [string, string, RevisionTally][] = [];
  let unavailable = true;
  const tallies = new RevisionTallies({
    add: (model, revision, tally) => {
      if (unavailable) return Promise.reject(new Error('unavailable'));
      written.push([model, revision, tally]);
      return Promise.resolve();
    },
  });
  tallies.countStream('m', 'r1', false);
  tallies.countStream('m', 'r1', true);
  tallies.countDelta('m', 'r2', 120);
  await expect(tallies.write()).rejects.toThrow('unavailable');
  unavailable = false;
  tallies.countStream('m', 'r1', false);
  await tallies.write();
  await tallies.write();
  expect(written).toMatchObject([
    ['m', 'r1', { streams: 3, failures: 1 }],
    ['m', 'r2', { streams: 0, failures: 0 }],
  ]);
  expect(written[1]?.[2].latencies[latencyBucket(120)]).toBe(1);
  expect(written).toHaveLength(2);
});
