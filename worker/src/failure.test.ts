import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { createLogger, parseTicketKey, parseTicketPublicKeys, signTicket } from '@svc-asr/runtime';
import { createTicketKeyPair } from '../../test/support/ticket-keys.ts';
import { Engine } from './engine/engine.ts';
import type { ModelInfo } from './engine/protocol.ts';
import { createSharedBuffers } from './engine/shared.ts';
import { endWith } from './failure.ts';
import { listen } from './server/listen.ts';
import { Relay } from './server/relay.ts';
import { createTicketGate } from './server/tickets.ts';
import { RelayConnection } from './testing/relay-client.ts';

const pair = createTicketKeyPair();

test('endWith closes every stream with 1011 and exits with 1 when the inference thread ends', async () => {
  const thread = Object.assign(new EventEmitter(), { postMessage: () => undefined });
  const info = {
    slots: 2,
    subsampling: 8,
    contexts: [{ context: [56, 13], chunkSamples: 17_920, earlySamples: 1080 }],
  };
  const engine = new Engine(thread as unknown as Worker, info as unknown as ModelInfo, createSharedBuffers(2));
  const logger = createLogger('worker', 'silent');
  const settings = { HOST: '127.0.0.1', PORT: 0, TLS_CERT_FILE: '', TLS_KEY_FILE: '' };
  const { server, port } = await listen(settings, logger);
  const relay = new Relay({
    server,
    engine,
    tickets: createTicketGate({ current: parseTicketPublicKeys(pair.publicKey) }, { worker: 'me', model: 'm' }),
    limits: { openTimeoutMs: 5000, slotWaitMs: 0, unsentBytes: 65_536, pingMs: 60_000, resumeMs: 0, reportMs: 60_000 },
    metrics: { countSamples: () => undefined, countEnd: () => undefined },
    logger,
  });
  const connection = await RelayConnection.connect(`ws://127.0.0.1:${port}`);
  const streams = [1, 2].map((epoch) => {
    const ticket = { session: 's', model: 'm', worker: 'me', epoch, expMs: Date.now() + 5000 };
    return connection.stream(signTicket(parseTicketKey(pair.privateKey), ticket));
  });
  for (const stream of streams) {
    stream.send({ type: 'open', context: [56, 13] });
    await stream.next('opened');
  }
  let left = 0;
  const registration = {
    stop: () => {
      left++;
      return Promise.resolve();
    },
  };
  const status = new Promise((resolve) => {
    engine.once('failed', (error) => void endWith(error, { services: [{ relay, registration }], logger }, resolve));
  });
  thread.emit('exit', 134);
  expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual([
    { code: 1011, reason: 'engine_failed' },
    { code: 1011, reason: 'engine_failed' },
  ]);
  expect([await status, left]).toEqual([1, 1]);
  await relay.close();
});
