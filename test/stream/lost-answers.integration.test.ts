import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '../support/eventually.ts';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { recording } from '../support/recording.ts';
import { startRedis } from '../support/redis.ts';
import { createSession, openStream, Refused } from '../support/stream-client.ts';
import { startWorker } from '../support/worker.ts';

/** A proxy between gateway and Redis that forwards everything except the reply to one script about one session. */
interface ReplyDropper {
  readonly url: string;
  /** Drops the reply to the next script that names this session, and closes the connection. */
  dropReply: (sessionId: string) => void;
  readonly dropped: number;
  stop: () => void;
}

async function startReplyDropper(redisUrl: string): Promise<ReplyDropper> {
  const { hostname, port } = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let wanted: string | undefined;
  let dropped = 0;
  const server = createServer((client) => {
    const target = connect(Number(port), hostname);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => [client, target].forEach((each) => each.destroy()));
    }
    let silent = false;
    client.on('data', (data) => {
      const text = data.toString('latin1');
      if (wanted !== undefined && text.includes('EVALSHA') && text.includes(wanted)) {
        silent = true;
        wanted = undefined;
      }
      target.write(data);
    });
    target.on('data', (data) => {
      if (!silent) client.write(data);
      else {
        dropped++;
        client.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropReply: (sessionId) => (wanted = sessionId),
    get dropped() {
      return dropped;
    },
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

test('a credential still works after a handshake failed because its Redis reply was lost', async () => {
  const prefix = ownPrefix();
  const redis = await startRedis();
  stops.push(() => redis.stop());
  const proxy = await startReplyDropper(redis.url);
  stops.push(() => proxy.stop());
  const ledger = await openLedger(redis.url, { prefix });
  stops.push(() => ledger.link.close());
  await seedCatalogue(ledger);
  const gateway: TestGateway = await startGateway(proxy.url, prefix);
  stops.push(() => gateway.stop());
  const worker = await startWorker(redis.url, prefix);
  stops.push(() => worker.stop());

  const { tenant, key } = await seedTenant(ledger, 60_000);
  const session = await createSession(gateway, key, { model: MODEL, max_audio_seconds: 60 });
  proxy.dropReply(session.id);
  await expect(openStream(session)).rejects.toMatchObject({ status: 503 } satisfies Partial<Refused>);
  expect(proxy.dropped).toBeGreaterThan(0);

  const stream = await eventually('the credential works', 30_000, () =>
    openStream(session).catch((error: unknown) => {
      if (error instanceof Refused) return undefined;
      throw error;
    }),
  );
  await stream.next('ready');
  stream.audio(recording().pcm);
  stream.send({ type: 'flush' });
  expect((await stream.next('final')).text.length).toBeGreaterThan(0);
  stream.close();
  await stream.closed;
  const ended = await eventually('the session is settled', 30_000, async () => {
    const [record] = (await ledger.accounts.usage(tenant))?.recent ?? [];
    return record?.completedAtMs === null ? undefined : record;
  });
  expect(ended).toMatchObject({ state: 'completed', audioMs: Math.ceil(recording().pcm.length / 32) });
});
