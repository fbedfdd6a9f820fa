// A worker whose inference takes no time. It speaks the relay protocol, registers in the ledger and answers each chunk
// at once, so that the cost of the relay is visible. It requires no ticket, because the clients of proxies have none.
// Environment: REDIS_URL, REDIS_KEY_PREFIX, MODEL, SLOTS. Prints its port on standard output.
import type { AddressInfo } from 'node:net';
import { chunkSamples, parseRelayRequest, RELAY_PATH } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { openLedger } from '../../test/support/ledger.ts';

/** Lease of the worker. It is longer than any benchmark, so that it need not be renewed. */
const LEASE_MS = 1_800_000;
/** Text that the worker returns for each chunk, about as long as that of 1.12 s of speech. */
const WORDS_PER_CHUNK = 'maitũ nĩ athiire ';

const { REDIS_URL = '', REDIS_KEY_PREFIX = '', MODEL = '', SLOTS = '' } = process.env;
const ledger = await openLedger(REDIS_URL, { prefix: REDIS_KEY_PREFIX, processLeaseMs: LEASE_MS });
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: RELAY_PATH, perMessageDeflate: false });
server.on('connection', serve);
server.on('listening', () => {
  const { port } = server.address() as AddressInfo;
  const address = `ws://127.0.0.1:${port}`;
  void ledger.workers
    .register(MODEL, { id: `echo-${process.pid}`, address, revision: 'echo', slots: Number(SLOTS) })
    .then(() => process.stdout.write(`${port}\n`));
});

function serve(socket: WebSocket): void {
  let chunk = Infinity;
  let samples = 0;
  let consumed = 0;
  let text = '';
  const send = (answer: RelayAnswer) => socket.send(JSON.stringify(answer));
  const reset = () => {
    samples = consumed = 0;
    text = '';
  };

  function receive(pcm: Buffer): void {
    samples += pcm.length / 2;
    while (samples - consumed >= chunk) {
      consumed += chunk;
      text += WORDS_PER_CHUNK;
      send({ type: 'consumed', samples: consumed });
      send({ type: 'delta', text, audio_end: consumed });
    }
  }

  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      receive(data);
      return;
    }
    const request = parseRelayRequest(data.toString());
    if (!request.ok) throw new Error(`invalid request: ${request.reason}`);
    const { message } = request;
    switch (message.type) {
      case 'open':
        chunk = chunkSamples(message.context[1]);
        send({ type: 'opened', chunk_samples: chunk, context: message.context });
        return;
      case 'flush':
        send({ type: 'final', text, audio_end: samples, words: [] });
        reset();
        return;
      case 'reset':
        send({ type: 'reset_done' });
        reset();
        return;
    }
  });
  socket.on('error', () => socket.terminate());
}
