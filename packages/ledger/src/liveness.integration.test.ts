import fc from 'fast-check';
import { connected } from '../../../test/support/connected.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { replay } from './journal.ts';
import { connectRedis } from './redis/connect.ts';
import type { RedisLink } from './redis/link.ts';
import { CREDIT_MS, MODEL, Simulation } from './testing/simulation.ts';
import type { Step } from './testing/simulation.ts';

// For longer runs: LIVENESS_SCHEDULES=2000 npm run jest -- liveness. A failed run prints its seed. Set LIVENESS_SEED to
// this seed to repeat the run.
const SCHEDULES = Number(process.env.LIVENESS_SCHEDULES ?? 150);
const SEED = process.env.LIVENESS_SEED === undefined ? {} : { seed: Number(process.env.LIVENESS_SEED) };

const any = fc.nat(20);
const gateway = fc.nat(3);
/**
 * Number of commands after which a gateway freezes. It is low, so that the gateway freezes within a handshake or
 * settlement.
 */
const commands = fc.nat(3);
const only = <T extends string>(...names: T[]) => fc.constantFrom(...names);
const fault = only('lost', 'late');
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(5, fc.record({ do: only('create'), tenant: any })),
  weighted(
    7,
    fc.record({
      do: only('open'),
      gateway,
      session: any,
      freezeAfter: fc.option(commands, { nil: undefined, freq: 3 }),
    }),
  ),
  weighted(6, fc.record({ do: only('place'), gateway, stream: any, fault: fc.option(fault, { nil: undefined }) })),
  weighted(
    5,
    fc.record({
      do: only('chain'),
      gateway,
      stream: any,
      fault: fc.option(fault, { nil: undefined }),
      freezeAfter: fc.option(commands, { nil: undefined, freq: 3 }),
    }),
  ),
  weighted(4, fc.record({ do: only('end'), gateway, stream: any, outcome: only('completed', 'failed') })),
  weighted(1, fc.record({ do: only('lose settlement'), gateway, stream: any, disowns: fc.boolean() })),
  weighted(2, fc.record({ do: only('join') })),
  weighted(1, fc.record({ do: only('freeze'), gateway, commands })),
  weighted(4, fc.record({ do: only('thaw'), gateway })),
  weighted(2, fc.record({ do: only('kill'), gateway })),
  weighted(9, fc.record({ do: only('renew', 'reconcile', 'reap'), gateway })),
  weighted(3, fc.record({ do: only('fault'), gateway, fault })),
  weighted(2, fc.record({ do: only('deliver') })),
  weighted(3, fc.record({ do: only('register', 'kill worker', 'remove worker'), worker: fc.nat(2) })),
  weighted(5, fc.record({ do: only('pass'), ms: fc.integer({ min: 500, max: 12_000 }) })),
  weighted(1, fc.record({ do: only('jump'), ms: fc.constantFrom(20_000, 3_600_000, -20_000, -3_600_000) })),
);

let redis: TestRedis;
let link: RedisLink;
beforeAll(async () => {
  redis = await startRedis(['--appendonly', 'no']);
  link = await connected(connectRedis({ url: redis.url, name: 'test', timeoutMs: 20_000 }));
});
afterAll(async () => {
  await link.close();
  await redis.stop();
});

test(
  'after random freezes, deaths, lost replies and clock steps, every session ends and every slot is released',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), async (steps) => {
        await link.send('', ['FLUSHALL']);
        const simulation = await Simulation.start(link);
        try {
          for (const next of steps) await simulation.take(next);
          await simulation.settle();
          await checkAccounts(simulation);
          await checkPool(simulation);
        } finally {
          simulation.close();
        }
      }),
      { numRuns: SCHEDULES, ...SEED },
    );
  },
  Math.max(120_000, SCHEDULES * 3000),
);

/** Checks that no credit is reserved and no session is live, and that the journal adds up to the account. */
async function checkAccounts({ ledger, tenants }: Simulation): Promise<void> {
  for (const tenant of tenants) {
    const account = (await ledger.accounts.read(tenant))!;
    expect(account).toMatchObject({ reservedMs: 0, liveSessions: 0, grantedMs: CREDIT_MS });
    expect(Math.min(account.consumedMs, account.availableMs)).toBeGreaterThanOrEqual(0);
    const entries = await ledger.journal.read(tenant, { count: 100_000 });
    const { grantedMs: granted, reservedMs: reserved, consumedMs: consumed } = account;
    expect(replay(entries)).toEqual({ granted, reserved, consumed });
  }
}

/** Checks that no session has a slot, held capacity or a place in the queue. */
async function checkPool({ ledger }: Simulation): Promise<void> {
  expect(await ledger.pools.load(MODEL)).toMatchObject({ active: 0, held: 0, waiting: 0 });
  const workers = await ledger.workers.list(MODEL);
  expect(workers.filter(({ active }) => active !== 0)).toEqual([]);
  for (const { id } of workers) {
    const placements = ['a', 'b'].map((part) => ledger.pools.place(MODEL, { sessionId: `${id}-${part}`, tenant: 't' }));
    expect((await Promise.all(placements)).map(({ outcome }) => outcome)).toEqual(['placed', 'placed']);
  }
}
