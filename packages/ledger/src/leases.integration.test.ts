import { randomUUID } from 'node:crypto';
import { createTenant, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { openSteppedLedger } from '../../../test/support/stepped-clock.ts';
import type { SteppedLedger } from '../../../test/support/stepped-clock.ts';
import type { Owner } from './sessions.ts';

const LEASE_MS = 15_000;
const HOUR_MS = 3_600_000;
const raise = (error: unknown) => {
  throw error;
};

let redis: TestRedis;
let options: { prefix: string };
let ledger: SteppedLedger;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(async () => {
  options = { prefix: `test-${randomUUID()}` };
  ledger = await openSteppedLedger(redis.url, options);
});
afterEach(() => ledger.link.close());
afterAll(() => redis.stop());

async function openStream(owner: Owner): Promise<{ tenant: string; sessionId: string }> {
  const tenant = await createTenant(ledger, 60_000);
  const { sessionId } = await reserved(ledger, tenant);
  await ledger.gateways.own(owner, { tenant, sessionId });
  await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId: 'c' });
  return { tenant, sessionId };
}
const reapDead = () => ledger.gateways.reapDead(raise);

describe('leases of gateways:', () => {
  /**
   * Lets one lease duration pass, in which only the gateway `working` renews its lease. Returns the number of failed
   * streams.
   */
  async function passLease(working: Owner): Promise<number> {
    let failed = 0;
    for (let passed = 0; passed <= LEASE_MS; passed += 3000) {
      await ledger.step(3000);
      expect(await ledger.gateways.renew(working)).toBeDefined();
      failed += await reapDead();
    }
    return failed;
  }

  test.each([
    ['Redis was unavailable for an hour', HOUR_MS],
    ['Redis was unavailable for a little longer than a lease lasts', LEASE_MS + 1000],
    ['the clock of Redis stepped back by an hour', -HOUR_MS],
  ])(
    'if %s, a gateway that starts next does not end the streams of a gateway that could not renew its lease',
    async (_name, ms) => {
      const before = await ledger.gateways.join('before');
      await openStream(before);
      await reapDead();
      await ledger.step(ms);
      const started = await openSteppedLedger(redis.url, options);
      await started.gateways.join('started');
      const failed = await started.gateways.reapDead(raise);
      await started.link.close();
      expect(failed).toBe(0);
      expect(await ledger.gateways.renew(before)).toBeDefined();
    },
  );

  test.each([
    ['an outage of Redis', HOUR_MS],
    ['a step back of the clock of Redis', -HOUR_MS],
  ])('if a gateway dies during %s, its streams fail one lease duration afterwards', async (_name, ms) => {
    const dead = await ledger.gateways.join('dead');
    const { tenant } = await openStream(dead);
    await reapDead();
    await ledger.step(ms);
    const working = await ledger.gateways.join('working');
    expect(await reapDead()).toBe(0);
    expect(await passLease(working)).toBe(1);
    expect(await ledger.accounts.read(tenant)).toMatchObject({ reservedMs: 0, liveSessions: 0 });
    expect(await ledger.gateways.renew(dead)).toBeUndefined();
  });

  test('if a gateway died before an outage in which the clock stepped back, its streams fail one lease duration after the outage', async () => {
    const dead = await ledger.gateways.join('dead');
    await openStream(dead);
    await reapDead();
    await ledger.step(LEASE_MS + 1000);
    expect(await reapDead()).toBe(0);
    await ledger.step(-HOUR_MS);
    const working = await ledger.gateways.join('working');
    expect(await reapDead()).toBe(0);
    expect(await passLease(working)).toBe(1);
  });

  test('a gateway that renewed its lease between two outages keeps its streams after the second outage', async () => {
    const renewing = await ledger.gateways.join('renewing');
    await openStream(renewing);
    await reapDead();
    await ledger.step(HOUR_MS);
    expect(await ledger.gateways.renew(renewing)).toBeDefined();
    await ledger.step(600);
    expect(await reapDead()).toBe(0);
    await ledger.step(HOUR_MS);
    expect(await reapDead()).toBe(0);
    expect(await ledger.gateways.renew(renewing)).toBeDefined();
  });

  test('a gateway that died before two outages is detected at most one lease duration after the second outage', async () => {
    const dead = await ledger.gateways.join('dead');
    await openStream(dead);
    await reapDead();
    await ledger.step(HOUR_MS);
    expect(await reapDead()).toBe(0);
    await ledger.step(HOUR_MS);
    expect(await reapDead()).toBe(0);
    expect(await passLease(await ledger.gateways.join('working'))).toBe(1);
  });

  test.each([
    ['back and then ahead', -60_000],
    ['ahead and then back', HOUR_MS],
  ])('a gateway keeps its streams if the clock steps %s before the gateway renews its lease', async (_name, ms) => {
    const owner = await ledger.gateways.join('steady');
    await openStream(owner);
    await reapDead();
    for (const step of [ms, -ms]) {
      await ledger.step(step);
      expect(await reapDead()).toBe(0);
    }
    expect(await ledger.gateways.renew(owner)).toBeDefined();
  });
});

describe('workers', () => {
  const model = 'm';
  const register = (id: string) =>
    ledger.workers.register(model, { id, address: `ws://${id}`, revision: 'r1', slots: 2 });
  test('keep the slots of their streams when the clock of Redis steps forward by hours', async () => {
    await register('w1');
    const place = (sessionId: string) => ledger.pools.place(model, { sessionId, tenant: 't' });
    expect(await place('a')).toMatchObject({ outcome: 'placed' });
    await ledger.step(3 * HOUR_MS);
    expect(await place('b')).toMatchObject({ outcome: 'placed' });
    expect((await place('c')).outcome).not.toBe('placed');
  });

  const listed = async () => (await ledger.workers.list(model)).map(({ id }) => id);

  test.each([
    ['an outage of Redis', HOUR_MS],
    ['a step back of the clock of Redis', -HOUR_MS],
  ])(
    'keep their leases after %s for one lease duration, and then lose them if they do not renew',
    async (_name, ms) => {
      await register('w1');
      await register('w2');
      expect(await listed()).toEqual(['w1', 'w2']);
      await ledger.step(ms);
      expect(await ledger.pools.place(model, { sessionId: 'a', tenant: 't' })).toMatchObject({ outcome: 'placed' });
      expect(await listed()).toEqual(['w1', 'w2']);
      for (let passed = 0; passed <= LEASE_MS; passed += 3000) {
        expect(await ledger.workers.renew(model, 'w2')).toBe('ok');
        await ledger.step(3000);
      }
      expect(await listed()).toEqual(['w2']);
    },
  );

  test('regain a slot after three hours if the release of that slot was lost', async () => {
    await register('w1');
    await ledger.pools.place(model, { sessionId: 'a', tenant: 't' });
    // The clock is advanced in small parts. If one part plus a pause of the machine exceeded 5 s, the ledger would
    // assume that the clock was changed, and restart the leases.
    for (let passed = 0; passed <= 3 * HOUR_MS; passed += 2500) {
      await ledger.step(2500);
      await ledger.workers.renew(model, 'w1');
    }
    expect(await ledger.workers.list(model)).toMatchObject([{ id: 'w1', active: 0 }]);
    expect(await ledger.pools.load(model)).toMatchObject({ active: 0, slots: 2 });
  });
});
