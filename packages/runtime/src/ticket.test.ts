import { createHmac, createPublicKey, randomBytes, sign } from 'node:crypto';
import fc from 'fast-check';
import { createTicketKeyPair } from '../../../test/support/ticket-keys.ts';
import { parseTicketKey, parseTicketPublicKeys } from './ticket-keys.ts';
import { signTicket, verifyTicket } from './ticket.ts';

const [pair, next] = [createTicketKeyPair(), createTicketKeyPair()];
const key = parseTicketKey(pair.privateKey);
const publicKeys = parseTicketPublicKeys(pair.publicKey);

const now = { worker: 'worker-1', model: 'kikuyu', nowMs: 1000 };
const ticket = { session: 'session-1', model: 'kikuyu', worker: 'worker-1', epoch: 3, expMs: 2000 };

test('verifyTicket returns the content that was signed', () => {
  expect(verifyTicket(publicKeys, signTicket(key, ticket), now)).toMatchObject(ticket);
});

test('verifyTicket refuses an expired ticket, and a ticket for another worker or model', () => {
  const signed = signTicket(key, ticket);
  expect(verifyTicket(publicKeys, signed, { ...now, nowMs: 1999 })).toBeDefined();
  expect(verifyTicket(publicKeys, signed, { ...now, nowMs: 2000 })).toBeUndefined();
  expect(verifyTicket(publicKeys, signed, { ...now, worker: 'worker-2' })).toBeUndefined();
  expect(verifyTicket(publicKeys, signed, { ...now, model: 'dholuo' })).toBeUndefined();
});

test('verifyTicket accepts tickets of the old and new key during a rotation, and only tickets of the new key afterwards', () => {
  const [old, renewed] = [signTicket(key, ticket), signTicket(parseTicketKey(next.privateKey), ticket)];
  expect(verifyTicket(publicKeys, renewed, now)).toBeUndefined();
  const both = parseTicketPublicKeys(pair.publicKey + next.publicKey);
  expect(verifyTicket(both, old, now)).toBeDefined();
  expect(verifyTicket(both, renewed, now)).toBeDefined();
  expect(verifyTicket(parseTicketPublicKeys(next.publicKey), old, now)).toBeUndefined();
});

describe('verifyTicket refuses a ticket that a worker has forged', () => {
  const [body = '', signature = ''] = signTicket(key, ticket).split('.');
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
  const forge = (changes: object, signWith: (text: string) => Buffer | string) => {
    const text = Buffer.from(JSON.stringify({ ...payload, ...changes })).toString('base64url');
    return `${text}.${signWith(text).toString('base64url')}`;
  };
  const ownKey = parseTicketKey(next.privateKey);
  const spki = createPublicKey(pair.publicKey).export({ type: 'spki', format: 'der' });

  test.each<[string, string]>([
    [
      'a key of its own and the key id of the gateway',
      forge({}, (text) => sign(null, Buffer.from(text), ownKey.privateKey)),
    ],
    ['a key of its own and its own key id', signTicket(ownKey, ticket)],
    [
      'an HMAC under the public key (PEM)',
      forge({}, (text) => createHmac('sha256', pair.publicKey).update(text).digest()),
    ],
    ['an HMAC under the public key (DER)', forge({}, (text) => createHmac('sha256', spki).update(text).digest())],
    [
      'the signature of a ticket that it received',
      forge({ worker: 'worker-1', epoch: 4 }, () => Buffer.from(signature, 'base64url')),
    ],
    ['random bytes', forge({}, () => randomBytes(64))],
    ['an empty signature', `${body}.`],
  ])('with %s', (_name, forged) => {
    expect(verifyTicket(publicKeys, forged, now)).toBeUndefined();
  });
});

test('verifyTicket refuses a ticket in which a character other than the last was changed', () => {
  const signed = signTicket(key, ticket);
  const character = fc.stringMatching(/^[A-Za-z0-9_.-]$/);
  // The last character is not changed, because four of its bits are unused.
  fc.assert(
    fc.property(fc.nat(signed.length - 2), character, (at, other) => {
      fc.pre(signed[at] !== other);
      expect(verifyTicket(publicKeys, signed.slice(0, at) + other + signed.slice(at + 1), now)).toBeUndefined();
    }),
  );
});

test.each(['', '.', 'a.b', 'a.b.c', `${'a'.repeat(5000)}.b`, `${Buffer.from('null').toString('base64url')}.x`])(
  'verifyTicket refuses text that is not a ticket (example %#)',
  (text) => {
    expect(verifyTicket(publicKeys, text, now)).toBeUndefined();
  },
);

test('signTicket includes the version of the format and the id of the key', () => {
  const [body = ''] = signTicket(key, ticket).split('.');
  const { expMs: exp, ...rest } = ticket;
  expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toEqual({ v: 2, kid: key.id, ...rest, exp });
});
