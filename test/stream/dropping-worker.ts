import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { chunkSamples, CONNECTION_ID, FRAME, parseRelayRequest, RELAY_CLOSE, RELAY_UPGRADE } from '@svc-asr/core';
import type { Frame, RelayAnswer } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { FrameSocket, payloadText } from '@svc-asr/runtime';
import { MODEL } from '../support/gateway.ts';

const ALIVE_MS = 100;
const RENEW_MS = 1000;
const BUFFER_SAMPLES = 65_536;
/**
 * Value of `early_samples` that the fake worker sends. It is the value of the demo models. The gateway sends the audio
 * of a chunk this many samples before the chunk is complete.
 */
const EARLY_SAMPLES = 1080;

/**
 * A fake worker that implements the worker protocol without recognizing speech. It can drop connections or stay silent.
 */
export interface DroppingWorker {
  /** Makes the worker drop this many connections from now on, each at the first audio of an utterance. */
  drop: (times: number) => void;
  /** Sets whether the worker leaves flushes and resets unanswered from now on. */
  mute: (on: boolean) => void;
  /** Sets whether the worker sends `alive` on every connection from now on. */
  keepAlive: (on: boolean) => void;
  /** Number of utterances opened since the last `drop` or `mute`, including replays. */
  opened: () => number;
  /** Number of the registered workers that have opened the stream of this session. */
  workersOf: (session: string) => number;
  stop: () => void;
}

/**
 * Starts one server and registers it as `count` workers, because a stream that has lost a worker avoids that worker for
 * some time.
 */
export async function startDroppingWorker(ledger: Ledger, count: number): Promise<DroppingWorker> {
  let drops = 0;
  let opened = 0;
  let muted = false;
  let alive = false;
  /** Ids of the workers that have opened a stream, by session. */
  const workers = new Map<string, Set<string>>();
  const connections = new Set<FrameSocket>();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function serve(socket: Duplex, head: Buffer): void {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${RELAY_UPGRADE}\r\n\r\n`);
    /** Samples of the current utterance, by stream. */
    const samples = new Map<number, number>();
    const send = (stream: number, answer: RelayAnswer) => frames.sendMessage(stream, answer);
    const answer = (stream: number, text: string, position: number) => {
      const request = parseRelayRequest(text);
      if (!request.ok) throw new Error(`invalid request: ${request.reason}`);
      const { message } = request;
      if (message.type === 'open') {
        const { session, worker } = readTicket(message.ticket);
        workers.set(session, (workers.get(session) ?? new Set()).add(worker));
        const chunk_samples = chunkSamples(message.context[1]);
        const { context } = message;
        const sizes = { chunk_samples, early_samples: EARLY_SAMPLES, buffer_samples: BUFFER_SAMPLES };
        send(stream, { type: 'opened', context, ...sizes });
        return;
      }
      if (muted) return;
      const audio_end = samples.get(stream) ?? 0;
      if (message.type === 'flush') {
        send(stream, finalOf(audio_end));
      } else send(stream, { type: 'reset_done' });
      frames.send(FRAME.consumed, stream, position);
      samples.delete(stream);
    };
    const receive = ({ stream, type, position, payload }: Frame) => {
      if (type === FRAME.message) answer(stream, payloadText({ payload }), position);
      if (type === FRAME.close) frames.send(FRAME.closed, stream, RELAY_CLOSE.done);
      if (type !== FRAME.audio) return;
      const before = samples.get(stream) ?? 0;
      if (before === 0) opened++;
      if (before === 0 && drops > 0) {
        drops--;
        frames.destroy();
        return;
      }
      samples.set(stream, before + payload.length / 2);
    };
    const frames = new FrameSocket(socket, head, { onFrame: receive, onClose: () => connections.delete(frames) });
    connections.add(frames);
  }

  server.on('upgrade', (_request, socket, head) => serve(socket, head));
  const timer = setInterval(() => {
    for (const frames of alive ? connections : []) frames.send(FRAME.alive, CONNECTION_ID);
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
    workersOf: (session) => workers.get(session)?.size ?? 0,
    stop: () => {
      clearInterval(timer);
      clearInterval(renewal);
      for (const frames of [...connections]) frames.destroy();
      server.close();
    },
  };
}

/**
 * Returns a final whose text is the number of samples. Its words have no confidence, as in a final from a worker of an
 * earlier version.
 */
function finalOf(samples: number): RelayAnswer {
  const words = [`${samples}`, 'samples'].map((text) => ({ text, start_ms: 0, end_ms: 0 }));
  return { type: 'final', text: `${samples} samples`, audio_end: samples, words };
}

/** Returns the content of a ticket without a check of its signature. */
function readTicket(ticket = ''): { session: string; worker: string } {
  const [body = ''] = ticket.split('.');
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as { session: string; worker: string };
}
