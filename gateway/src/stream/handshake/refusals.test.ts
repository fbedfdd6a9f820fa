import { Refusals, SESSION_REFUSALS_PER_SECOND } from './refusals.ts';

const LIMITED = expect.objectContaining({ code: 'rate_limit_exceeded', retryAfterS: 1 }) as Error;

test('Refusals throws 429 for an address over the limit, until one of its refusals has expired', () => {
  const refusals = new Refusals(2);
  const count = (nowMs: number) => () => refusals.countForAddress('203.0.113.1', nowMs);
  expect(count(0)).not.toThrow();
  expect(count(0)).not.toThrow();
  expect(count(0)).toThrow(LIMITED);
  // A handshake that gets 429 does not count against the limit.
  expect(count(499)).toThrow(LIMITED);
  expect(count(500)).not.toThrow();
  expect(() => refusals.countForAddress('203.0.113.2', 500)).not.toThrow();
});

test('Refusals throws 429 for a session over the limit, until one of its refusals has expired', () => {
  const refusals = new Refusals(1);
  const check = (nowMs: number) => () => refusals.startForSession('session', nowMs)();
  for (let at = 0; at < SESSION_REFUSALS_PER_SECOND; at++) {
    expect(check(0)).not.toThrow();
    refusals.countForSession('session', 0);
  }
  expect(check(0)).toThrow(LIMITED);
  const expiryMs = 1000 / SESSION_REFUSALS_PER_SECOND;
  expect(check(expiryMs - 1)).toThrow(LIMITED);
  expect(check(expiryMs)).not.toThrow();
  expect(() => refusals.startForSession('other', 0)).not.toThrow();
});

test('Refusals accepts a handshake with a valid credential even if its address is over the limit', () => {
  const refusals = new Refusals(1);
  refusals.countForAddress('203.0.113.1', 0);
  expect(() => refusals.countForAddress('203.0.113.1', 0)).toThrow(LIMITED);
  expect(() => refusals.startForSession('session', 0)).not.toThrow();
});

test('Refusals throws 429 for a session with too many unanswered handshakes, until one of them has ended', () => {
  const refusals = new Refusals(1);
  const start = (sessionId = 'session') => refusals.startForSession(sessionId, 0);
  const ends = Array.from({ length: SESSION_REFUSALS_PER_SECOND }, () => start());
  expect(() => start()).toThrow(LIMITED);
  expect(() => start('other')).not.toThrow();
  ends[0]?.();
  expect(() => start()).not.toThrow();
});
