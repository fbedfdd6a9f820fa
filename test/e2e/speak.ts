import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { send } from '../support/answer.ts';
import { recording } from '../support/recording.ts';
import { StreamClient } from '../support/stream-client.ts';
import type { SessionBody } from '../support/stream-client.ts';
import { wordErrorRate } from '../support/word-errors.ts';

const FRAME_BYTES = 3200;
const FRAME_MS = 100;
/** How far a transcript of these synthesized recordings may be from what was said; offline it is 27 % over all. */
const MOST_WORD_ERRORS_PERCENT = 60;

/** Where callers reach the service, and with what. */
export interface Access {
  baseUrl: string;
  ca: string;
  key: string;
}

/** Creates a session and opens its stream, both over TLS through the Service. */
export async function open(access: Access, model: string, seconds = 60): Promise<StreamClient> {
  const { baseUrl, ca, key } = access;
  const answer = await send(`${baseUrl}/v1/asr/sessions`, {
    method: 'POST',
    ca,
    body: { model, max_audio_seconds: seconds },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  if (answer.status !== 201) throw new Error(`no session: ${answer.status} ${answer.text}`);
  const session = answer.body as SessionBody;
  const socket = new WebSocket(session.websocket_url, session.websocket_protocols, { ca, perMessageDeflate: false });
  const stream = new StreamClient(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return stream;
}

/** Somebody who speaks. */
export interface Speech {
  /** Ends with the recording that is being spoken, checks every transcript, and closes; resolves with the utterances. */
  finish: () => Promise<number>;
}

/** Starts to speak on a stream that is ready: a recording over and over, at the pace of a person, each an utterance. */
export function startSpeaking(stream: StreamClient, name: string, model: string): Speech {
  const { pcm, text } = recording(name, model);
  const order = new AbortController();
  const spoken = (async () => {
    let utterances = 0;
    const startedAt = performance.now();
    let frames = 0;
    while (!order.signal.aborted) {
      for (let at = 0; at < pcm.length; at += FRAME_BYTES) {
        stream.socket.send(pcm.subarray(at, at + FRAME_BYTES));
        await sleep(Math.max(0, startedAt + ++frames * FRAME_MS - performance.now()));
      }
      stream.send({ type: 'flush' });
      utterances += 1;
    }
    return utterances;
  })();
  return {
    finish: async () => {
      order.abort();
      const utterances = await spoken;
      for (let heard = 0; heard < utterances; heard++) {
        const final = await stream.next('final', 60_000);
        const rate = wordErrorRate([text], [final.text]);
        if (rate > MOST_WORD_ERRORS_PERCENT) throw new Error(`${rate} % word errors: "${final.text}" for "${text}"`);
      }
      stream.close();
      const { code } = await stream.closed;
      if (code !== 1000) throw new Error(`the stream was closed with ${code}`);
      return utterances;
    },
  };
}
