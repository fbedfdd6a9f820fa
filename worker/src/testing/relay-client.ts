import { once } from 'node:events';
import { parseRelayAnswer, RELAY_PATH } from '@svc-asr/core';
import type { RelayAnswer, RelayRequest } from '@svc-asr/core';
import { WebSocket } from 'ws';
import type { ClientOptions } from 'ws';

type AnswerOf<T extends RelayAnswer['type']> = Extract<RelayAnswer, { type: T }>;

/** The gateway's side of a stream. */
export class RelayClient {
  readonly socket: WebSocket;
  /** All answers received, in order. */
  readonly answers: RelayAnswer[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #taken = 0;

  constructor(address: string, ticket: string | undefined, options: ClientOptions = {}) {
    const headers = ticket === undefined ? {} : { authorization: `Bearer ${ticket}` };
    this.socket = new WebSocket(`${address}${RELAY_PATH}`, { headers, perMessageDeflate: false, ...options });
    this.socket.on('message', (data: Buffer) => {
      const parsed = parseRelayAnswer(data.toString());
      if (!parsed.ok) throw new Error(`the worker violated the protocol: ${parsed.reason}`);
      this.answers.push(parsed.message);
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.socket.on('error', () => undefined);
  }

  async connected(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
    return this;
  }

  send(message: RelayRequest | Record<string, unknown> | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Sends audio in frames of this many samples. */
  audio(samples: Int16Array, frame = 3200): void {
    for (let at = 0; at < samples.length; at += frame) this.socket.send(samples.slice(at, at + frame));
  }

  /** Returns the next answer of this type after those returned before. Throws if the connection closes first. */
  async next<T extends RelayAnswer['type']>(type: T): Promise<AnswerOf<T>> {
    for (;;) {
      for (; this.#taken < this.answers.length; this.#taken++) {
        const answer = this.answers[this.#taken];
        if (answer?.type !== type) continue;
        this.#taken++;
        return answer as AnswerOf<T>;
      }
      const over = await Promise.race([this.closed, once(this.socket, 'message').then(() => undefined)]);
      if (over !== undefined && this.#taken >= this.answers.length) {
        throw new Error(`no ${type} arrived before the close ${over.code} ${over.reason}`);
      }
    }
  }

  of<T extends RelayAnswer['type']>(type: T): AnswerOf<T>[] {
    return this.answers.filter((answer): answer is AnswerOf<T> => answer.type === type);
  }
}
