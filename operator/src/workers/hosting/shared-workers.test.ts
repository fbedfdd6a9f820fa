import type { RevisionTally } from '@svc-asr/ledger';
import { withGuestRevisions } from './shared-workers.ts';

const guestsOf = (host: string) => (host === 'host' ? ['guest'] : []);

test('withGuestRevisions adds the stream counts of the guests to those of their host, separately for each revision', async () => {
  const counts = new Map<string, Map<string, RevisionTally>>([
    ['host', new Map([['old', { streams: 5, failures: 1, latencies: [1, 2] }]])],
    [
      'guest',
      new Map([
        ['old', { streams: 3, failures: 2, latencies: [0, 1, 4] }],
        ['new', { streams: 1, failures: 0, latencies: [] }],
      ]),
    ],
  ]);
  const revisions = withGuestRevisions(
    { counts: (model) => Promise.resolve(counts.get(model) ?? new Map()), weigh: () => Promise.resolve() },
    guestsOf,
  );
  expect(await revisions.counts('host')).toEqual(
    new Map([
      ['old', { streams: 8, failures: 3, latencies: [1, 3, 4] }],
      ['new', { streams: 1, failures: 0, latencies: [] }],
    ]),
  );
  expect(await revisions.counts('other')).toEqual(new Map());
});
