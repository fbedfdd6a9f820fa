import type { Owner } from '@svc-asr/ledger';
import { parseKeyring } from '@svc-asr/runtime';
import { sessionCredential } from '../../sessions/credential.ts';
import { Attempts } from './attempts.ts';
import { Claims } from '../settlement/claims.ts';
import { accept, verifyOffer } from './handshake.ts';
import type { HandshakeParts } from './handshake.ts';

const secrets = parseKeyring(
  JSON.stringify({ current: 's1', secrets: { s1: Buffer.alloc(32, 1).toString('base64') } }),
);
const NOW_MS = 1_800_000_000_000;
const subject = { tenant: 'acme', sessionId: 'session' };
const offerOf = (expiresAtMs: number) => ({
  sessionId: 'session',
  credential: sessionCredential(secrets, 's1', subject, expiresAtMs)!,
});

/** Runs a handshake. The lease of the gateway is `first` until the session is connected, and `later` afterwards. */
async function runHandshake(
  first: Owner,
  later: Owner | undefined,
  { isAlive = true, expiresAtMs = NOW_MS + 1, outcome = 'ok' } = {},
) {
  let owner: Owner | undefined = first;
  const attempts = new Attempts(1);
  const done: string[] = [];
  const record = (what: string) => () => {
    done.push(what);
    return Promise.resolve(isAlive);
  };
  const parts = {
    ledger: {
      now: () => NOW_MS,
      gateways: { own: record('own'), disown: record('disown') },
      sessions: {
        connect: () => {
          owner = later;
          return Promise.resolve({ outcome, model: 'm', reservedMs: 1000 });
        },
      },
    },
    settlements: { rollBack: record('roll back') },
    claims: new Claims(),
    attempts,
    secrets,
    ledgerWatch: { verify: () => Promise.resolve() },
    owner: () => owner,
  } as unknown as HandshakeParts;
  const handshake = async () => accept(parts, verifyOffer(parts, offerOf(expiresAtMs)), 'request');
  const answer = await handshake().catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  return { answer, done, pending: attempts.pending };
}

test('accept() returns the session with the lease of the gateway as its owner', async () => {
  const owner = { id: 'g1', epoch: 1 };
  const { answer, done, pending } = await runHandshake(owner, owner);
  expect(answer).toMatchObject({ sessionId: 'session', tenant: 'acme', owner });
  expect(done).toEqual(['own']);
  // The attempt stays pending until the 101 response was sent.
  expect(pending).toBe(1);
});

test.each([
  [4999, ['own']],
  [5000, []],
])(
  'a handshake with a credential that expired %d ms ago calls the ledger functions %j, and is refused if it calls none',
  async (agoMs, calls) => {
    const owner = { id: 'g1', epoch: 1 };
    const { answer, done } = await runHandshake(owner, owner, { expiresAtMs: NOW_MS - agoMs });
    expect(done).toEqual(calls);
    if (calls.length === 0) expect(answer).toMatchObject({ code: 'invalid_session_credential' });
  },
);

test.each([[undefined], [{ id: 'g2', epoch: 2 }]])(
  'accept() rolls back the ledger command connect if the gateway loses its lease during the command (lease afterwards: %j)',
  async (later) => {
    const { answer, done, pending } = await runHandshake({ id: 'g1', epoch: 1 }, later);
    expect(answer).toMatchObject({ code: 'service_unavailable' });
    expect(pending).toBe(0);
    expect(done).toEqual(['own', 'roll back', 'disown']);
  },
);

test('accept() refuses a handshake and rolls back its call of connect() in the ledger if the ledger has declared the gateway dead', async () => {
  const owner = { id: 'g1', epoch: 1 };
  const { answer, done } = await runHandshake(owner, owner, { isAlive: false });
  expect(answer).toMatchObject({ code: 'service_unavailable' });
  expect(done).toEqual(['own', 'roll back', 'disown']);
});

test.each([
  ['owner_dead', 503, 'service_unavailable'],
  ['refused', 401, 'invalid_session_credential'],
  ['inactive', 403, 'account_inactive'],
])(
  'if the ledger answers the command connect with %s, the handshake is answered with %d %s',
  async (outcome, status, code) => {
    const owner = { id: 'g1', epoch: 1 };
    const { answer, done, pending } = await runHandshake(owner, owner, { outcome });
    expect(answer).toMatchObject({ status, code });
    expect(done).toEqual(['own', 'disown']);
    expect(pending).toBe(0);
  },
);
