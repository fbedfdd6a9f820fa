import { chunkSamples, parseRelayRequest } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';

/** Text that the worker returns for each chunk. It is about as long as the text of 1.12 s of speech. */
const WORDS_PER_CHUNK = 'maitũ nĩ athiire ';
const BUFFER_SAMPLES = 65_536;

/** A stream of the echo worker. */
export class EchoStream {
  readonly #send: (answer: RelayAnswer, position: number) => void;
  #chunk = Infinity;
  #samples = 0;
  #consumed = 0;
  /** First sample of the utterance, counted from the start of the stream. */
  #start = 0;
  #text = '';

  /** `send` is called with each answer, and with the position in the stream up to which the audio is consumed. */
  constructor(send: (answer: RelayAnswer, position: number) => void) {
    this.#send = send;
  }

  receiveAudio(pcm: Uint8Array): void {
    this.#samples += pcm.length / 2;
    while (this.#samples - this.#consumed >= this.#chunk) {
      this.#consumed += this.#chunk;
      this.#text += WORDS_PER_CHUNK;
      this.#answer({ type: 'consumed', samples: this.#consumed });
      this.#answer({ type: 'delta', text: this.#text, audio_end: this.#consumed });
    }
  }

  receiveMessage(text: string): void {
    const request = parseRelayRequest(text);
    if (!request.ok) throw new Error(`invalid request: ${request.reason}`);
    const { message } = request;
    if (message.type === 'open') {
      const { context } = message;
      this.#chunk = chunkSamples(context[1]);
      this.#answer({ type: 'opened', chunk_samples: this.#chunk, context, buffer_samples: BUFFER_SAMPLES });
      return;
    }
    if (message.type === 'reset') this.#answer({ type: 'reset_done' });
    else this.#answer({ type: 'final', text: this.#text, audio_end: this.#samples, words: [] });
    this.#start += this.#samples;
    this.#samples = this.#consumed = 0;
    this.#text = '';
    this.#answer({ type: 'consumed', samples: 0 });
  }

  #answer(answer: RelayAnswer): void {
    this.#send(answer, this.#start + this.#consumed);
  }
}
