import type { Ledger, RevisionTally, WorkerRecord } from '@svc-asr/ledger';

type Workers = Pick<Ledger['workers'], 'list' | 'drain' | 'remove'>;
type Revisions = Pick<Ledger['revisions'], 'counts' | 'weigh'>;

/**
 * Wraps access to the workers in the ledger for pools that have guests. A worker is registered in the pool of its host
 * and in the pool of each guest. `list` adds up the streams of a worker in all these pools, and a drain or removal
 * applies to all of them.
 */
export function withGuestWorkers(workers: Workers, guestsOf: (host: string) => readonly string[]): Workers {
  const inEach = async (host: string, act: (model: string) => Promise<void>) => {
    for (const model of [host, ...guestsOf(host)]) await act(model);
  };
  return {
    list: async (host) => {
      const [own = [], ...others] = await Promise.all([host, ...guestsOf(host)].map((model) => workers.list(model)));
      return addStreams(own, others.flat());
    },
    drain: (host, id) => inEach(host, (model) => workers.drain(model, id)),
    remove: (host, id) => inEach(host, (model) => workers.remove(model, id)),
  };
}

/**
 * Wraps access to the counts of revisions in the ledger for pools that have guests. A rollout of the host concerns the
 * streams of its guests too.
 */
export function withGuestRevisions(revisions: Revisions, guestsOf: (host: string) => readonly string[]): Revisions {
  return {
    counts: async (host) => {
      const tallies = await Promise.all([host, ...guestsOf(host)].map((model) => revisions.counts(model)));
      return addTallies(tallies);
    },
    weigh: async (host, weights) => {
      for (const model of [host, ...guestsOf(host)]) await revisions.weigh(model, weights);
    },
  };
}

/** Adds the streams of guests to the records of the workers that serve them. */
function addStreams(own: readonly WorkerRecord[], others: readonly WorkerRecord[]): WorkerRecord[] {
  const active = new Map<string, number>();
  for (const { id, active: streams } of others) active.set(id, (active.get(id) ?? 0) + streams);
  return own.map((record) => ({ ...record, active: record.active + (active.get(record.id) ?? 0) }));
}

function addTallies(tallies: readonly ReadonlyMap<string, RevisionTally>[]): Map<string, RevisionTally> {
  const sums = new Map<string, RevisionTally>();
  for (const [revision, tally] of tallies.flatMap((one) => [...one])) {
    const sum = sums.get(revision);
    sums.set(revision, sum === undefined ? tally : addTally(sum, tally));
  }
  return sums;
}

function addTally(a: RevisionTally, b: RevisionTally): RevisionTally {
  const length = Math.max(a.latencies.length, b.latencies.length);
  return {
    streams: a.streams + b.streams,
    failures: a.failures + b.failures,
    latencies: Array.from({ length }, (_, at) => (a.latencies[at] ?? 0) + (b.latencies[at] ?? 0)),
  };
}
