import { AUDIO, audioMs, chunkSamples, parseClientMessage, samplesOf, streamError } from '@svc-asr/core';
import type { ClientMessage, ServerMessage, StreamErrorCode } from '@svc-asr/core';
import type { RawData, WebSocket } from 'ws';

/** Behaviour of the streams of the test service. If no field is set, a stream follows the protocol. */
export interface Script {
  /** Delay before `ready`. The client receives `status` without this delay. */
  readyAfterMs?: number;
  /** Closes with this code at the first flush. With `final`, the final transcript is sent before the close. */
  closeAtFlush?: { code: number; reason?: string; error?: StreamErrorCode; final?: boolean };
  /** Breaks the connection after this number of samples. */
  breakAtSamples?: number;
  /** Sends a final transcript and closes with this code after this number of samples. */
  endAtSamples?: { samples: number; code: number };
  /** Does not reply to a flush. */
  ignoresFlush?: boolean;
  /** Stops reading for this time after `ready`. */
  stallMs?: number;
  text?: string;
  /** Recognizes the audio of an utterance. Times are from the start of the utterance. */
  recognize?: (samples: Int16Array) => { text: string; start_ms: number; end_ms: number }[];
}

/** Everything that the service received on a stream. */
export interface Received {
  audio: Buffer[];
  messages: ClientMessage[];
  frameBytes: number[];
  closeCode: Promise<number>;
}

/** Session of a stream. */
export interface StreamSession {
  id: string;
  model: string;
  seconds: number;
}

/**
 * Serves a stream. The transcript of an utterance is the number of its samples, unless the script has `text` or
 * `recognize`.
 */
export function serveStream(socket: WebSocket, session: StreamSession, script: Script): Received {
  return new ScriptedStream(socket, session, script).received;
}

class ScriptedStream {
  readonly received: Received;
  readonly #socket: WebSocket;
  readonly #session: StreamSession;
  readonly #script: Script;
  /** Messages that arrived before `ready`. */
  readonly #early: ClientMessage[] = [];
  #isReady = false;
  #utterance = 1;
  /** Number of samples in the stream before the current utterance. */
  #startSample = 0;
  #samples = 0;
  #invalidMessages = 0;
  /** Right context of the model, in frames. */
  #right = 13;

  constructor(socket: WebSocket, session: StreamSession, script: Script) {
    this.#socket = socket;
    this.#session = session;
    this.#script = script;
    const closeCode = new Promise<number>((resolve) => socket.once('close', resolve));
    this.received = { audio: [], messages: [], frameBytes: [], closeCode };
    socket.on('message', (data: RawData, isBinary) => {
      if (isBinary) this.#onAudio(data as Buffer);
      else this.#onText((data as Buffer).toString());
    });
    this.#send({ type: 'status', state: 'waiting_for_capacity', message: 'Waiting for a free recognition slot.' });
    const timer = setTimeout(() => this.#becomeReady(), script.readyAfterMs ?? 0);
    socket.once('close', () => clearTimeout(timer));
  }

  #becomeReady(): void {
    const { id, model, seconds } = this.#session;
    this.#isReady = true;
    this.#send({
      type: 'ready',
      session_id: id,
      model,
      chunk_samples: chunkSamples(13),
      sample_rate_hz: AUDIO.sampleRateHz,
      context_size: [...AUDIO.defaultContext],
      max_frame_bytes: 65_536,
      max_audio_seconds: seconds,
    });
    for (const message of this.#early) this.#onMessage(message);
    if (this.#script.stallMs === undefined) return;
    this.#socket.pause();
    setTimeout(() => this.#socket.resume(), this.#script.stallMs);
  }

  #onAudio(frame: Buffer): void {
    this.received.frameBytes.push(frame.length);
    if (!this.#isReady) this.#fail('audio_before_ready');
    else if (frame.length > 65_536) this.#fail('frame_too_large');
    else if (frame.length % 2 === 1) this.#fail('invalid_audio_frame');
    else this.#accept(frame.subarray(0, (samplesOf(this.#session.seconds) - this.#samples) * 2));
  }

  #accept(audio: Buffer): void {
    this.received.audio.push(audio);
    const chunksBefore = this.#chunks();
    this.#samples += audio.length / 2;
    if (this.#samples >= (this.#script.breakAtSamples ?? Infinity)) {
      this.#socket.terminate();
      return;
    }
    if (this.#chunks() > chunksBefore) {
      const [utterance, audioEndMs] = [this.#utterance, audioMs(this.#samples)];
      this.#send({ type: 'delta', text: this.#text(), utterance, audio_end_ms: audioEndMs });
    }
    const { endAtSamples } = this.#script;
    if (endAtSamples !== undefined && this.#samples >= endAtSamples.samples) {
      this.#finalize();
      this.#socket.close(endAtSamples.code);
      return;
    }
    if (this.#samples < samplesOf(this.#session.seconds)) return;
    this.#finalize();
    this.#socket.close(1000, 'audio_limit_reached');
  }

  /** Returns the number of complete chunks in the utterance. */
  #chunks(): number {
    return Math.floor((this.#samples - this.#startSample) / chunkSamples(this.#right));
  }

  #text(): string {
    const words = this.#words();
    if (words !== undefined) return words.map(({ text }) => text).join(' ');
    return this.#script.text ?? `${this.#samples - this.#startSample} samples`;
  }

  /** Returns the words of the utterance. Undefined if the script has no `recognize`. */
  #words() {
    const { recognize } = this.#script;
    if (recognize === undefined) return undefined;
    const bytes = Buffer.concat(this.received.audio).subarray(this.#startSample * 2);
    const samples = Int16Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2));
    const startMs = audioMs(this.#startSample);
    return recognize(samples).map(({ text, start_ms: start, end_ms: end }) => ({
      text,
      start_ms: start + startMs,
      end_ms: end + startMs,
    }));
  }

  #onText(text: string): void {
    const parsed = parseClientMessage(text);
    if (!parsed.ok) {
      this.#fail(parsed.code);
      return;
    }
    this.received.messages.push(parsed.message);
    if (this.#isReady) this.#onMessage(parsed.message);
    else this.#early.push(parsed.message);
  }

  #onMessage(message: ClientMessage): void {
    if (message.type === 'keepalive') return;
    if (message.type === 'flush') this.#onFlush();
    else if (message.type === 'reset') {
      this.#startSample = this.#samples;
      this.#send({ type: 'reset_ack', utterance: ++this.#utterance });
    } else if (this.#samples > this.#startSample) this.#fail('config_not_allowed');
    else if (message.language !== undefined && message.language !== 'ki') this.#fail('invalid_config');
    else {
      this.#right = message.context?.[1] ?? 13;
      const [context, chunk] = [[56, this.#right] as [number, number], chunkSamples(this.#right)];
      const endpointing = message.endpointing && { endpointing: message.endpointing };
      this.#send({ type: 'config_ack', language: 'ki', context_size: context, chunk_samples: chunk, ...endpointing });
    }
  }

  #onFlush(): void {
    const { closeAtFlush: end, ignoresFlush } = this.#script;
    if (ignoresFlush === true) return;
    if (end === undefined || end.final === true) this.#finalize();
    if (end?.error !== undefined) this.#send(streamError(end.error, 9).event);
    if (end !== undefined) this.#socket.close(end.code, end.reason ?? end.error ?? '');
  }

  #finalize(): void {
    const [start, end] = [audioMs(this.#startSample), audioMs(this.#samples)];
    const text = this.#text();
    const words = this.#words() ?? [{ text, start_ms: start, end_ms: end }];
    const utterance = this.#utterance++;
    this.#send({ type: 'final', text, utterance, audio_start_ms: start, audio_end_ms: end, words });
    this.#startSample = this.#samples;
  }

  #fail(code: StreamErrorCode): void {
    const { event, close } = streamError(code, code === 'invalid_message' ? this.#invalidMessages++ : 0);
    this.#send(event);
    if (close !== undefined) this.#socket.close(close, code);
  }

  #send(message: ServerMessage): void {
    this.#socket.send(JSON.stringify(message));
  }
}
