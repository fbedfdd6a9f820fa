import type { Response } from 'express';
import { ApiError } from '@svc-asr/core';
import type { ServerMessage } from '@svc-asr/core';
import { exchangeOf } from '../http/exchange.ts';
import { NOT_STORED, startText } from '../http/send-json.ts';
import type { Transcript } from './answers.ts';

const HEADERS = {
  ...NOT_STORED,
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Without this header, some proxies would buffer all events until the end of the response.
  'X-Accel-Buffering': 'no',
};

/**
 * Sends the transcript of a file as server-sent events while the file is recognized. The response starts with the first
 * event. An error before the first event becomes an ordinary error response.
 */
export class TranscriptEvents {
  readonly #response: Response;
  /** Text of the utterances that have ended. */
  #finished = '';
  /** Text that was sent so far. */
  #sent = '';

  constructor(response: Response) {
    this.#response = response;
  }

  /** Handles a message of the stream. */
  onMessage(message: ServerMessage): void {
    if (message.type !== 'delta' && message.type !== 'final') return;
    const text = [this.#finished, message.text].filter((part) => part !== '').join(' ');
    if (message.type === 'final') this.#finished = text;
    this.#sendUntil(text);
  }

  /** Ends the response with the whole transcript. */
  end({ text, seconds }: Transcript): void {
    this.#sendUntil(text);
    this.#send({ type: 'transcript.text.done', text, usage: { type: 'duration', seconds: Math.ceil(seconds) } });
    this.#response.end();
  }

  /**
   * Ends a started response with an error event, which clients report as an error. Throws the given error if the
   * response has not started.
   */
  fail(error: unknown): void {
    if (!this.#response.headersSent) throw error;
    const exchange = exchangeOf(this.#response);
    const answer = error instanceof ApiError ? error : new ApiError('service_unavailable');
    exchange.code = answer.code;
    this.#response.write('event: error\n');
    this.#send(answer.body(exchange.requestId));
    this.#response.end();
  }

  /** Sends the new part of a text. Clients join the parts, so text that was sent cannot change any more. */
  #sendUntil(text: string): void {
    if (text.length <= this.#sent.length || !text.startsWith(this.#sent)) return;
    this.#send({ type: 'transcript.text.delta', delta: text.slice(this.#sent.length) });
    this.#sent = text;
  }

  #send(event: object): void {
    if (!this.#response.headersSent) startText(this.#response, 200, HEADERS);
    this.#response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
}
