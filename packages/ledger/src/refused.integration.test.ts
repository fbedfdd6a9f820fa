import { randomUUID } from 'node:crypto';
import { createTenant, openLedger, reserved } from '../../../test/support/ledger.ts';
import { createNarrowUser } from '../../../test/support/narrow-redis.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import type { Ledger } from './ledger.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const prefix = `test-${randomUUID()}`;
let redis: TestRedis;
let ledger: Ledger;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

// If Redis stops a script halfway, it does not roll back the commands that the script has executed.
test.each(['lset', 'hset', 'xadd', 'del'])(
  'settle() charges only once if Redis rejects the command %s in its script and settle() is called again',
  async (command) => {
    const user = await createNarrowUser(redis, ledger.link, `without-${command}`);
    const narrow = await openLedger(user.url, { prefix });
    const tenant = await createTenant(ledger, 60_000);
    const { sessionId } = await reserved(ledger, tenant);
    await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner: OWNER, connectionId: 'c' });
    const settle = () => narrow.sessions.settle(tenant, sessionId, OWNER, 20_000, 'client closed');

    await user.allow(`-${command}`);
    await expect(settle()).rejects.toThrow();
    await settle().catch(() => undefined);
    await user.allow(`+${command}`);
    expect(await settle()).toMatchObject({ state: 'completed', billableMs: 2000 });
    expect((await ledger.accounts.usage(tenant))!.balance).toEqual({
      grantedMs: 60_000,
      availableMs: 58_000,
      reservedMs: 0,
      consumedMs: 2000,
    });
    await narrow.link.close();
  },
);
