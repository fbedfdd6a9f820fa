import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';
import { loadScript } from './scripts.ts';
import type { RevisionTally } from './pool-types.ts';

const COUNT = loadScript('count_revision');
const WEIGH = loadScript('weigh_revisions');

/** Creates access to the tallies of revisions and to their shares of new sessions. */
export function createRevisions(link: RedisLink, keys: RedisKeys) {
  return {
    /** Adds counts to the tally of a revision. A gateway passes what it has counted since its last call. */
    async add(model: string, revision: string, tally: RevisionTally): Promise<void> {
      const latencies = tally.latencies.flatMap((count, bucket) => (count === 0 ? [] : [bucket, count]));
      await link.run(COUNT, keys.pool(model), [revision, tally.streams, tally.failures, ...latencies]);
    },

    /** Returns the tallies of the revisions of a model, by revision. */
    async counts(model: string): Promise<Map<string, RevisionTally>> {
      const tallies = new Map<string, RevisionTally & { latencies: number[] }>();
      const counted = fields(await link.send(keys.revisionCounts(model), ['HGETALL', keys.revisionCounts(model)]));
      for (const [field, value] of counted) {
        const [revision = '', what = ''] = field.split('|');
        const tally = tallies.get(revision) ?? { streams: 0, failures: 0, latencies: [] };
        if (what === 'streams' || what === 'failures') tally[what] = Number(value);
        else setCount(tally.latencies, Number(what), Number(value));
        tallies.set(revision, tally);
      }
      return tallies;
    },

    /**
     * Sets the share of new sessions that each revision receives, in percent. Deletes the counts of other revisions.
     */
    async weigh(model: string, weights: ReadonlyMap<string, number>): Promise<void> {
      await link.run(WEIGH, keys.pool(model), [...weights].flat());
    },
  };
}

function setCount(counts: number[], bucket: number, count: number): void {
  while (counts.length <= bucket) counts.push(0);
  counts[bucket] = count;
}
