import { randomBytes } from 'node:crypto';
import type { Ledger, WorkerRecord } from '@svc-asr/ledger';
import { forEachOf } from './client.ts';

const TENANT = 'bench';
const HOLD_MS = 3_600_000;
const AT_ONCE = 64;

/** Sessions of one model. They behave like the sessions of gateways. */
export interface Crowd {
  /** Claims one slot for each of `count` new sessions, which adds to the demand. */
  claim: (count: number) => Promise<void>;
  /** Places sessions that have no worker. Moves sessions whose worker drains or has ended. */
  settle: (records: readonly WorkerRecord[]) => Promise<void>;
  /** Ends `count` sessions, chosen at random. */
  end: (count: number) => Promise<void>;
  size: () => number;
  placed: () => number;
  /** Returns whether a session is placed on this worker. */
  isOn: (worker: string) => boolean;
}

/** Creates a crowd without sessions. */
export function createCrowd(ledger: Ledger, model: string): Crowd {
  /** The worker of each session. Undefined if the session has no worker yet. */
  const sessions = new Map<string, string | undefined>();

  async function place(session: string, avoid: readonly string[]): Promise<void> {
    const placement = await ledger.pools.place(model, { sessionId: session, tenant: TENANT, avoid });
    sessions.set(session, placement.outcome === 'placed' ? placement.worker.id : undefined);
  }

  return {
    claim: (count) =>
      forEachOf(Array.from({ length: count }), AT_ONCE, async () => {
        // The first digits of a session id decide which revision serves it, so they must be random.
        const session = randomBytes(16).toString('hex');
        const isHeld = await ledger.pools.claim(model, session, Date.now() + HOLD_MS);
        if (!isHeld) throw new Error(`${model} accepts no more sessions`);
        sessions.set(session, undefined);
      }),
    settle: (records) => {
      const staying = new Set(records.filter(({ draining }) => !draining).map(({ id }) => id));
      const unplaced = [...sessions].filter(([, worker]) => worker === undefined || !staying.has(worker));
      // Only as many sessions are placed as there are free slots. All others would only wait in the queue.
      return forEachOf(unplaced.slice(0, countFree(records)), AT_ONCE, ([session, worker]) =>
        place(session, worker === undefined ? [] : [worker]),
      );
    },
    end: (count) =>
      forEachOf(shuffle([...sessions.keys()]).slice(0, count), AT_ONCE, async (session) => {
        sessions.delete(session);
        await ledger.pools.leave(model, session, TENANT);
      }),
    size: () => sessions.size,
    isOn: (worker) => [...sessions.values()].includes(worker),
    placed: () => [...sessions.values()].filter((worker) => worker !== undefined).length,
  };
}

function countFree(records: readonly WorkerRecord[]): number {
  const taking = records.filter(({ draining }) => !draining);
  return taking.reduce((sum, { slots, active }) => sum + slots - active, 0);
}

function shuffle<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, by: Math.random() }))
    .sort((a, b) => a.by - b.by)
    .map(({ item }) => item);
}
