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

/** A handshake of a gateway whose lease is `later` by the time its session is connected. */
async function shakeHands(first: Owner, later: Owner | undefined) {
  let owner: Owner | undefined = first;
  const done: string[] = [];
  const note = (what: string) => () => {
    done.push(what);
    return Promise.resolve();
  };
  const parts = {
    ledger: {
      gateways: { own: note('own'), disown: note('disown') },
      sessions: {
        connect: () => {
          owner = later;
          return Promise.resolve({ outcome: 'ok', model: 'm', reservedMs: 1000 });
        },
      },
    },
    settlements: { rollBack: note('roll back') },
    claims: new Claims(),
    secrets,
    owner: () => owner,
  } as unknown as HandshakeParts;
  const answer = await accept(parts, OFFER, 'request').catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  return { answer, done };
}

test('a session belongs to the lease under which it was noted', async () => {
  const owner = { id: 'g1', epoch: 1 };
  const { answer, done } = await shakeHands(owner, owner);
  expect(answer).toMatchObject({ sessionId: 'session', tenant: 'acme', owner });
  expect(done).toEqual(['own']);
});

test.each([[undefined], [{ id: 'g2', epoch: 2 }]])(
  'one that was connected while the lease was lost is given back (then %j)',
  async (later) => {
    const { answer, done } = await shakeHands({ id: 'g1', epoch: 1 }, later);
    expect(answer).toMatchObject({ code: 'service_unavailable' });
    expect(done).toEqual(['own', 'roll back', 'disown']);
  },
);
