import { AUDIO } from '@svc-asr/core';
import type { FinalMessage, ServerMessage } from '@svc-asr/core';
import type { StreamClient } from '../stream/client/client.ts';
import type { Stream } from '../stream/stream.ts';
import { FileAudio } from './file-audio.ts';

const FLUSH = Buffer.from(JSON.stringify({ type: 'flush' }));
const KEEPALIVE = Buffer.from(JSON.stringify({ type: 'keepalive' }));
const NORMAL_CLOSURE = 1000;
/**
 * Length of a pause that ends an utterance of a long file. The gateway keeps the audio of an utterance for a replay.
 * Pauses divide the file into short utterances, which need little memory and little time for a replay.
 */
const PAUSE_MS = 1000;
const BYTES_PER_MS = (AUDIO.sampleRateHz * AUDIO.bytesPerSample) / 1000;
const LONG_FILE_CONFIG = Buffer.from(JSON.stringify({ type: 'config', endpointing: { silence_ms: PAUSE_MS } }));

export interface FileClientOptions {
  /** True if utterances end at pauses, and at the latest after 240 s. False if the whole file is one utterance. */
  readonly isLong: boolean;
}

/** The client of a stream that recognizes a file. It sends the audio as fast as the stream reads, and then a flush. */
export class FileClient implements StreamClient {
  readonly finals: FinalMessage[] = [];
  /** Called with each message of the stream. */
  onMessage: ((message: ServerMessage) => void) | undefined;
  readonly #audio: FileAudio;
  readonly #options: FileClientOptions;
  #stream: Stream | undefined;
  #isReady = false;
  #isReading = true;
  #isSending = false;
  #sentBytes = 0;
  /**
   * Position in the file at which the current utterance starts: after the last flush, or at a later cut that a `final`
   * has reported.
   */
  #startBytes = 0;
  /** Number of flushes whose `final` has not arrived yet. */
  #owedFinals = 0;
  #isFlushed = false;
  #isComplete = false;

  /** `frames` returns frames of whole samples. They are requested one by one while the stream reads. */
  constructor(frames: AsyncIterator<Buffer, undefined>, options: FileClientOptions = { isLong: false }) {
    this.#audio = new FileAudio(frames, options.isLong);
    this.#options = options;
  }

  /** True if the transcript of all audio has arrived. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  /** Connects this client with its stream. Call it once. */
  start(stream: Stream): void {
    this.#stream = stream;
    if (this.#options.isLong) stream.receive(LONG_FILE_CONFIG, false);
    void this.#sendAudio();
  }

  send(message: ServerMessage): void {
    this.onMessage?.(message);
    if (message.type === 'ready') {
      this.#isReady = true;
      this.#later(() => void this.#sendAudio());
    } else if (message.type === 'final') {
      this.finals.push(message);
      if (message.endpoint === true) this.#startUtterance(message.audio_end_ms * BYTES_PER_MS);
      else this.#owedFinals--;
      if (!this.#isFlushed || this.#owedFinals > 0) return;
      this.#isComplete = true;
      this.#later(() => this.#stream?.onClosed(NORMAL_CLOSURE));
    }
  }

  read(on: boolean): void {
    this.#isReading = on;
    if (on) this.#later(() => void this.#sendAudio());
  }

  ping(): void {
    this.#later(() => {
      this.#stream?.onPong();
      // The keepalive prevents the idle timeout. A decoder may need more time for its next audio than the idle timeout
      // allows.
      this.#stream?.receive(KEEPALIVE, false);
    });
  }

  /** Fails the stream, so that the file is free of charge. A slow worker or decoder is a fault of the service. */
  onTimeLimit(): void {
    this.#later(() => this.#stream?.fail('internal_error'));
  }

  close(): void {
    // Nothing is left to do here, because the stream has ended.
  }

  terminate(): void {
    // This client is part of the gateway and has no connection that could be terminated.
  }

  /**
   * Runs a task in the next turn of the event loop. A client must not call its stream while the stream calls the
   * client.
   */
  #later(task: () => void): void {
    setImmediate(task);
  }

  /** Sends audio while the stream reads. If the decoder fails, ends the stream free of charge. */
  async #sendAudio(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined || this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#maySend()) {
        await this.#audio.prepare(this.#utteranceBytes);
        // The stream may have stopped reading while frames were decoded.
        if (!this.#maySend()) return;
        const { pcm, endsUtterance, isLast } = this.#audio.take(this.#utteranceBytes);
        this.#sentBytes += pcm?.length ?? 0;
        if (pcm !== undefined) stream.receive(pcm, true);
        // The flush is sent in the same turn of the event loop as the last audio. Otherwise a stream that has used its
        // whole reservation would end by itself before the flush.
        if (endsUtterance) this.#flush(stream, isLast);
      }
    } catch {
      stream.fail('internal_error');
    } finally {
      this.#isSending = false;
    }
  }

  /** Number of bytes of the current utterance that were sent. */
  get #utteranceBytes(): number {
    return this.#sentBytes - this.#startBytes;
  }

  #startUtterance(bytes: number): void {
    if (bytes <= this.#startBytes) return;
    this.#startBytes = bytes;
    this.#audio.restart();
  }

  #flush(stream: Stream, isLast: boolean): void {
    this.#isFlushed = isLast;
    this.#startBytes = this.#sentBytes;
    this.#owedFinals++;
    stream.receive(FLUSH, false);
  }

  #maySend(): boolean {
    return this.#isReady && this.#isReading && !this.#isFlushed;
  }
}
