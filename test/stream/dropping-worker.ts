import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { chunkSamples, parseRelayRequest, RELAY_PATH } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { MODEL } from '../support/gateway.ts';

const ALIVE_MS = 100;
const RENEW_MS = 1000;

/** A fake worker that speaks the worker protocol, recognizes nothing, and can drop connections or stay silent. */
export interface DroppingWorker {
  /** Number of connections to drop from now on, each at the first audio of an utterance. */
  drop: (times: number) => void;
  /** Sets whether the worker leaves audio and flushes unanswered from now on. */
  mute: (on: boolean) => void;
  /** Sets whether the worker sends `alive` on every connection from now on. */
  keepAlive: (on: boolean) => void;
  /** Number of utterances opened since the last `drop` or `mute`, including replays. */
  opened: () => number;
  stop: () => void;
}

/** Registers this server as several workers, because a stream avoids a worker that it lost. */
export async function startDroppingWorker(ledger: Ledger, count: number): Promise<DroppingWorker> {
  let drops = 0;
  let opened = 0;
  let muted = false;
  let alive = false;
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: RELAY_PATH, perMessageDeflate: false });
  await once(server, 'listening');
  const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function serve(socket: WebSocket): void {
    let samples = 0;
    let lost = false;
    const send = (answer: RelayAnswer) => socket.send(JSON.stringify(answer));
    const receive = (pcm: Buffer) => {
      if (samples === 0) opened++;
      if (samples === 0 && drops > 0) {
        drops--;
        lost = true;
        socket.terminate();
      }
      samples += pcm.length / 2;
    };
    const answer = (text: string) => {
      const request = parseRelayRequest(text);
      if (!request.ok) throw new Error(`invalid request: ${request.reason}`);
      const { message } = request;
      if (message.type === 'open') {
        send({ type: 'opened', chunk_samples: chunkSamples(message.context[1]), context: message.context });
        return;
      }
      if (muted) return;
      if (message.type === 'flush') {
        send({ type: 'final', text: `${samples} samples`, audio_end: samples, words: [] });
      } else send({ type: 'reset_done' });
      samples = 0;
    };
    socket.on('message', (data: Buffer, isBinary) => {
      if (lost) return;
      if (isBinary) receive(data);
      else answer(data.toString());
    });
    socket.on('error', () => socket.terminate());
  }

  server.on('connection', serve);
  const timer = setInterval(() => {
    for (const socket of alive ? server.clients : []) socket.send(JSON.stringify({ type: 'alive' }));
  }, ALIVE_MS);
  const ids = Array.from({ length: count }, (_, at) => `dropping-${at}`);
  for (const id of ids) await ledger.workers.register(MODEL, { id, address, revision: 'r', slots: 4 });
  const renewal = setInterval(() => {
    for (const id of ids) ledger.workers.renew(MODEL, id).catch(() => undefined);
  }, RENEW_MS);
  return {
    drop: (times) => {
      drops = times;
      opened = 0;
    },
    mute: (on) => {
      muted = on;
      opened = 0;
    },
    keepAlive: (on) => (alive = on),
    opened: () => opened,
    stop: () => {
      clearInterval(timer);
      clearInterval(renewal);
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
