import { AUDIO } from '@svc-asr/core';
import type { FinalMessage, ServerMessage } from '@svc-asr/core';
import type { StreamClient } from '../stream/client/client.ts';
import type { Stream } from '../stream/stream.ts';

const FLUSH = Buffer.from(JSON.stringify({ type: 'flush' }));
const NORMAL_CLOSURE = 1000;

/** The client of a stream that recognizes a file. It sends audio as fast as the stream reads, and then a flush. */
export class FileClient implements StreamClient {
  readonly finals: FinalMessage[] = [];
  /** Parts of the audio that were not sent yet. Sent ones are released, because the stream keeps what it needs. */
  readonly #parts: Buffer[];
  #stream: Stream | undefined;
  #isReady = false;
  #isReading = true;
  #isSending = false;
  #isFlushed = false;

  /** Takes the parts of the audio. They may end in the middle of a sample. */
  constructor(parts: Buffer[]) {
    this.#parts = parts;
  }

  /** Whether the transcript of all audio has arrived. */
  get isComplete(): boolean {
    return this.#isFlushed && this.finals.length > 0;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  /** Call once, with the stream of this client. */
  start(stream: Stream): void {
    this.#stream = stream;
    this.#sendAudio();
  }

  send(message: ServerMessage): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      this.#later(() => this.#sendAudio());
    } else if (message.type === 'final') {
      this.finals.push(message);
      this.#later(() => this.#stream?.onClosed(NORMAL_CLOSURE));
    }
  }

  read(on: boolean): void {
    this.#isReading = on;
    if (on) this.#later(() => this.#sendAudio());
  }

  ping(): void {
    this.#later(() => this.#stream?.onPong());
  }

  close(): void {
    // The stream has ended.
  }

  terminate(): void {
    // There is no connection.
  }

  /** The stream must not be called while it calls its client. */
  #later(task: () => void): void {
    setImmediate(task);
  }

  #sendAudio(): void {
    const stream = this.#stream;
    if (stream === undefined || !this.#isReady || this.#isSending || this.#isFlushed) return;
    this.#isSending = true;
    for (let frame = this.#takeFrame(); frame !== undefined; frame = this.#takeFrame()) stream.receive(frame, true);
    this.#isSending = false;
    if (this.#parts.length > 0) return;
    this.#isFlushed = true;
    stream.receive(FLUSH, false);
  }

  /** Takes the next frame of whole samples. Returns undefined while the stream does not read, and at the end. */
  #takeFrame(): Buffer | undefined {
    if (!this.#isReading) return undefined;
    const [part, next] = this.#parts;
    if (part === undefined) return undefined;
    const whole = part.length - (part.length % AUDIO.bytesPerSample);
    const bytes = Math.min(whole, AUDIO.maxFrameBytes);
    const rest = part.subarray(bytes);
    this.#parts.shift();
    // The rest of a sample belongs to the next part.
    if (rest.length >= AUDIO.bytesPerSample) this.#parts.unshift(rest);
    else if (rest.length > 0 && next !== undefined) this.#parts[0] = Buffer.concat([rest, next]);
    return bytes > 0 ? part.subarray(0, bytes) : this.#takeFrame();
  }
}
