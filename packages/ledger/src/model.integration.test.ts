import { readFileSync } from 'node:fs';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { Counterexample } from './testing/model/explorer.ts';
import { INVARIANTS } from './testing/model/invariants.ts';
import { checkScenario } from './testing/model/model.ts';
import { SCENARIOS } from './testing/model/scenarios.ts';

// For a larger exploration: MODEL_DISTURBANCES=2 npm run jest -- ledger/src/model
const DISTURBANCES = Number(process.env.MODEL_DISTURBANCES ?? 1);
const TIMEOUT_MS = 120_000 * 30 ** (DISTURBANCES - 1);

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis(['--appendonly', 'no']);
});
afterAll(() => redis.stop());

test.each(Object.entries(SCENARIOS))(
  'no order of messages, faults and deadlines of the scenario "%s" violates an invariant',
  async (_name, scenario) => {
    const { states } = await checkScenario(redis.url, scenario, DISTURBANCES);
    expect(states).toBeGreaterThan(1000);
  },
  TIMEOUT_MS,
);

test('docs/invariants.md describes every invariant and every scenario of the model', () => {
  const page = readFileSync(new URL('../../../docs/invariants.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, id]) => id);
  expect(rows).toEqual([...INVARIANTS, ...Object.keys(SCENARIOS)]);
});

/** Returns a function that changes a script by replacing parts of its text. */
const replace =
  (...parts: (readonly [old: string, replacement: string])[]) =>
  ({ source }: { source: string }) =>
    parts.reduce((text, [old, replacement]) => text.replaceAll(old, replacement), source);

const COMPLETED = 'if session.completed then return';

describe('the model reports a violated invariant if', () => {
  test.each([
    [
      'own.lua ignores that the gateway was declared dead',
      'lease',
      replace(["if redis.call('EXISTS', string.sub(KEYS[1], 1, -2) .. 'x') == 1 then return 0 end", '']),
      /^(DEAD-OWNER|SESSION-ENDS)/,
    ],
    [
      'connect.lua ignores that the owner was declared dead',
      'lease',
      replace(["if is_refused(owner .. ':' .. epoch) then return { 'owner_dead' } end", '']),
      /^REFUSED-CONNECT/,
    ],
    [
      'connect.lua ignores that the connection was rolled back',
      'lease',
      replace(["if is_refused(connection) then return { 'refused' } end", '']),
      /^REFUSED-CONNECT/,
    ],
    [
      'disconnect.lua does not refuse a connect() call that arrives later',
      'lease',
      replace(["redis.call('HSET', key, 'no', session.refused .. ' ' .. connection)", '']),
      /^SESSION-ENDS/,
    ],
    [
      'connect.lua ignores that the session is active',
      'handshake',
      replace(["if state_of(base, id, session) ~= 'reserved' then return { 'refused' } end", '']),
      /^(ONE-OWNER|ONE-STREAM)/,
    ],
    [
      'settle.lua and fail.lua do not compare owner and epoch',
      'handshake',
      replace(["if session.owner ~= owner or session.epoch ~= epoch then return { 'stale' } end", '']),
      /^STALE-OWNER/,
    ],
    [
      'a session can be settled twice',
      'lease',
      replace(
        [`${COMPLETED} { 'already'`, `if false then return { 'already'`],
        ["if session.state ~= 'active' then return { 'not_connected' } end", ''],
        ['if not session or session.completed then', 'if not session then'],
        ["    redis.call('DEL', key)", ''],
      ),
      /^(END-ONCE|CREDIT-SUM)/,
    ],
    [
      'take_due.lua removes a mark before its work is done',
      'lease',
      replace(["redis.call('ZADD', KEYS[1], now + ARGV[2], member)", "redis.call('ZREM', KEYS[1], member)"]),
      /^SESSION-ENDS/,
    ],
    [
      'gateways_dead.lua forgets a gateway before its streams have failed',
      'reapers',
      replace(["redis.call('ZADD', dead, again, id)", "redis.call('ZREM', dead, id)"]),
      /^(DEAD-OWNER|SESSION-ENDS)/,
    ],
    [
      'an overdue session is ended although its gateway serves it',
      'reapers',
      replace(["if redis.call('HGET', base .. 's:' .. id, 'st') == 'active' then", 'if false then']),
      /^KEPT-STREAM/,
    ],
    [
      'cancel.lua leaves no tombstone',
      'creation',
      replace(["redis.call('SET', base .. 'x:' .. id, '1', 'PX', ARGV[4])", '']),
      /^LATE-RESERVE/,
    ],
    [
      'reserve.lua ignores the credit of the account',
      'credit',
      replace(['local reserved_s = math.min(requested, available_s)', 'local reserved_s = requested']),
      /^CREDIT-SUM/,
    ],
    [
      'chain.lua ignores that its owner was declared dead',
      'chain',
      replace(["if redis.call('EXISTS', base .. 'x:' .. next_id) == 1 then return { 'stale' } end", '']),
      /^(DEAD-OWNER|SESSION-ENDS)/,
    ],
  ] as const)('%s (scenario "%s")', async (_what, scenario, mutate, invariant) => {
    const found = await checkScenario(redis.url, SCENARIOS[scenario], 1, mutate).catch((error: unknown) => error);
    if (!(found instanceof Counterexample)) throw new Error('there is no counterexample', { cause: found });
    expect(found.message).toMatch(invariant);
    expect(found.steps.length).toBeGreaterThan(1);
  });
});
