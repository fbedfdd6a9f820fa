import type { Owner } from '@svc-asr/ledger';
import { parseKeyring } from '@svc-asr/runtime';
import { sessionCredential } from '../../sessions/credential.ts';
import { Claims } from './claims.ts';
import { accept } from './handshake.ts';
import type { HandshakeParts } from './handshake.ts';

const secrets = parseKeyring(
  JSON.stringify({ current: 's1', secrets: { s1: Buffer.alloc(32, 1).toString('base64') } }),
);
const OFFER = { sessionId: 'session', credential: sessionCredential(secrets, 's1', 'acme', 'session')! };

/** Runs a handshake on a gateway that holds the lease `first`, and `later` once the session is connected. */
async function runHandshake(first: Owner, later: Owner | undefined, isAlive = true) {
  let owner: Owner | undefined = first;
  const done: string[] = [];
  const record = (what: string) => () => {
    done.push(what);
    return Promise.resolve(isAlive);
  };
  const parts = {
    ledger: {
      gateways: { own: record('own'), disown: record('disown') },
      sessions: {
        connect: () => {
          owner = later;
          return Promise.resolve({ outcome: 'ok', model: 'm', reservedMs: 1000 });
        },
      },
    },
    settlements: { rollBack: record('roll back') },
    claims: new Claims(),
    secrets,
    owner: () => owner,
  } as unknown as HandshakeParts;
  const answer = await accept(parts, OFFER, 'request').catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  return { answer, done };
}

test('accept returns a session that belongs to the lease under which it was recorded', async () => {
  const owner = { id: 'g1', epoch: 1 };
  const { answer, done } = await runHandshake(owner, owner);
  expect(answer).toMatchObject({ sessionId: 'session', tenant: 'acme', owner });
  expect(done).toEqual(['own']);
});

test.each([[undefined], [{ id: 'g2', epoch: 2 }]])(
  'accept rolls back a session whose lease was lost during the connect (lease afterwards: %j)',
  async (later) => {
    const { answer, done } = await runHandshake({ id: 'g1', epoch: 1 }, later);
    expect(answer).toMatchObject({ code: 'service_unavailable' });
    expect(done).toEqual(['own', 'roll back', 'disown']);
  },
);

test('accept connects nothing if the ledger has declared the gateway dead', async () => {
  const owner = { id: 'g1', epoch: 1 };
  const { answer, done } = await runHandshake(owner, owner, false);
  expect(answer).toMatchObject({ code: 'service_unavailable' });
  expect(done).toEqual(['own', 'roll back', 'disown']);
});
