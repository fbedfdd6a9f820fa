import fc from 'fast-check';
import { parseKeyring } from './keyring.ts';
import { signTicket, verifyTicket } from './ticket.ts';

const secret = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const ring = (current: string, ...ids: number[]) =>
  parseKeyring(JSON.stringify({ current, secrets: Object.fromEntries(ids.map((id) => [`w${id}`, secret(id)])) }));

const now = { worker: 'worker-1', nowMs: 1000 };
const ticket = { session: 'session-1', worker: 'worker-1', epoch: 3, expMs: 2000 };
const current = ring('w1', 1);

test('verifyTicket returns the signed content', () => {
  expect(verifyTicket(current, signTicket(current, ticket), now)).toMatchObject(ticket);
});

test('verifyTicket refuses an expired ticket and a ticket for another worker', () => {
  const signed = signTicket(current, ticket);
  expect(verifyTicket(current, signed, { ...now, nowMs: 1999 })).toBeDefined();
  expect(verifyTicket(current, signed, { ...now, nowMs: 2000 })).toBeUndefined();
  expect(verifyTicket(current, signed, { ...now, worker: 'worker-2' })).toBeUndefined();
});

test('verifyTicket accepts a ticket of a rotated secret until that secret is removed', () => {
  const signed = signTicket(current, ticket);
  expect(verifyTicket(ring('w2', 1, 2), signed, now)).toBeDefined();
  expect(verifyTicket(ring('w2', 2), signed, now)).toBeUndefined();
});

test('verifyTicket refuses a ticket signed with another secret of the same name', () => {
  const other = parseKeyring(JSON.stringify({ current: 'w1', secrets: { w1: secret(9) } }));
  expect(verifyTicket(current, signTicket(other, ticket), now)).toBeUndefined();
});

test('verifyTicket refuses a ticket in which any character was changed', () => {
  const signed = signTicket(current, ticket);
  const character = fc.stringMatching(/^[A-Za-z0-9_.-]$/);
  // The last character of a signature has two unused bits.
  fc.assert(
    fc.property(fc.nat(signed.length - 2), character, (at, other) => {
      fc.pre(signed[at] !== other);
      expect(verifyTicket(current, signed.slice(0, at) + other + signed.slice(at + 1), now)).toBeUndefined();
    }),
  );
});

test.each(['', '.', 'a.b', 'a.b.c', `${'a'.repeat(5000)}.b`, `${Buffer.from('null').toString('base64url')}.x`])(
  'verifyTicket refuses text that is not a ticket (%#)',
  (text) => {
    expect(verifyTicket(current, text, now)).toBeUndefined();
  },
);

test('signTicket includes its version and the id of its secret', () => {
  const [body = ''] = signTicket(current, ticket).split('.');
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
  expect(payload).toEqual({ v: 1, kid: 'w1', session: 'session-1', worker: 'worker-1', epoch: 3, exp: 2000 });
});
