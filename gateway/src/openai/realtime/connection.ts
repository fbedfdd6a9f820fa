import { AUDIO, MessageRate, REALTIME_LIMITS, STREAM_LIMITS } from '@svc-asr/core';
import type { ContextSize, ServerMessage } from '@svc-asr/core';
import type { AudioShare } from '../../stream/audio-memory/audio-budget.ts';
import type { StreamClient } from '../../stream/client/client.ts';
import type { Configuration } from '../../stream/configuration.ts';
import type { OpenedStream } from '../../stream/opened-stream.ts';
import { decodeAudio, parseEvent } from './client-events.ts';
import type { ClientEvent } from './client-events.ts';
import { CLOSE, closingFor } from './close-reasons.ts';
import type { Closing } from './close-reasons.ts';
import { buildConfiguration, contextFor, describeSession, mergeUpdate } from './configuration.ts';
import type { RealtimeConfiguration } from './configuration.ts';
import type { EndedBy } from './ends.ts';
import { streamSamples } from './input-format.ts';
import { InvalidEvent } from './invalid-event.ts';
import { Items } from './items.ts';
import { Recognizer } from './recognizer.ts';
import { createId, errorEvent, writeEvent } from './server-events.ts';
import type { ServerEvent } from './server-events.ts';

/** WebSocket of a client. */
export interface RealtimeSocket {
  send: (text: string) => void;
  /** Pauses or resumes reading from the client. */
  read: (on: boolean) => void;
  close: (code: number, reason: string) => void;
}

export interface ConnectionParts {
  /** Checks a model that the client has selected. Throws if the model does not exist, or if the key may not use it. */
  requireModel: (model: string) => void;
  languageOf: (model: string) => string | undefined;
  contextsOf: (model: string) => readonly ContextSize[];
  /** Reads the contexts of a model again if they were unknown at the last read. Never rejects. */
  refreshContexts: (model: string) => Promise<void>;
  takeMemory: () => AudioShare | undefined;
  /** Reserves a session of a model and opens its stream. */
  open: (model: string, client: StreamClient) => Promise<OpenedStream>;
  idleMs: number;
  extraMs: number;
  lifetimeMs: number;
}

/** A realtime connection. Handles the events of a client, and sends it the events of its recognition. */
export class Connection {
  readonly #parts: ConnectionParts;
  readonly #socket: RealtimeSocket;
  readonly #session: { id: string; expiresAt: number };
  readonly #items = new Items();
  readonly #recognizer: Recognizer;
  #configuration: RealtimeConfiguration;
  readonly #rate = new MessageRate(STREAM_LIMITS.textMessagesPerSecond, STREAM_LIMITS.textMessageBurst);
  /** Number of invalid events, and number of events over the rate limit. */
  readonly #refused = { invalid: 0, rate: 0 };
  /** Number of appended samples, at the sample rate of streams. */
  #appended = 0;
  /** Number of appended samples that a commit, a clear or a `final` has covered. */
  #committed = 0;
  #isClosed = false;

  constructor(parts: ConnectionParts, socket: RealtimeSocket, model: string | undefined) {
    this.#parts = parts;
    this.#socket = socket;
    this.#session = { id: createId('sess'), expiresAt: Math.floor((Date.now() + parts.lifetimeMs) / 1000) };
    this.#configuration = buildConfiguration(model);
    this.#recognizer = new Recognizer(
      {
        takeMemory: parts.takeMemory,
        configuration: () => this.#streamConfiguration(),
        refreshConfiguration: () => parts.refreshContexts(this.#configuration.model ?? ''),
        open: (client) => parts.open(this.#configuration.model ?? '', client),
        idleMs: parts.idleMs,
        extraMs: parts.extraMs,
      },
      {
        onMessage: (...answer) => this.#onMessage(...answer),
        onPace: (isReading) => this.#socket.read(isReading),
        onFailed: (cause) => this.#close(closingFor(cause)),
      },
    );
    this.#send({ type: 'session.created', session: this.#describe() });
    if (model !== undefined) this.#recognizer.enable();
  }

  /** Handles a message of the client. */
  receive(data: Buffer, isBinary: boolean): void {
    if (this.#isClosed) return;
    let eventId: string | undefined;
    try {
      if (isBinary) throw new InvalidEvent('invalid_event', BINARY);
      const event = parseEvent(data.toString());
      ({ eventId } = event);
      this.#handle(event);
    } catch (error) {
      if (!(error instanceof InvalidEvent)) throw error;
      this.#refuse(error, eventId);
    }
  }

  /** Call when the client sent a message that is too large, or an invalid WebSocket frame. */
  onProtocolError(code: number): void {
    const isLarge = code === CLOSE.tooLarge;
    const message = isLarge
      ? `A message may have at most ${REALTIME_LIMITS.maxMessageBytes} bytes. Send less audio at a time.`
      : 'The client violated the WebSocket protocol (RFC 6455).';
    const reason = isLarge ? 'message_too_large' : 'invalid_event';
    this.#close({ code, reason, error: { type: 'invalid_request_error', code: reason, message } });
  }

  /** Call when the connection of the client is closed. */
  onClosed(code: number): void {
    this.#isClosed = true;
    this.#recognizer.close(code);
  }

  /** Closes the connection. If a session is ready, the audio that it has received is transcribed first. */
  finish(): void {
    this.#recognizer.finish();
  }

  /**
   * Call when the gateway shuts down. Closes the connection now if it has no session, or else when its session ends.
   */
  drain(): void {
    this.#recognizer.drain();
  }

  #handle(event: ClientEvent): void {
    if (event.type === 'input_audio_buffer.append') {
      this.#append(event.audio);
      return;
    }
    if (this.#rate.take(performance.now()) > 0) throw new InvalidEvent('rate_limited', RATE_LIMITED);
    if (event.type === 'session.update') this.#update(event.session);
    else if (event.type === 'input_audio_buffer.commit') this.#commit();
    else this.#clear();
  }

  #append(audio: unknown): void {
    const { format } = this.#configuration;
    const bytes = decodeAudio(audio, format);
    if (bytes.length === 0) return;
    this.#appended += streamSamples(bytes.length, format);
    this.#recognizer.append(bytes, format);
  }

  #commit(): void {
    if (this.#appended <= this.#committed) throw new InvalidEvent('input_audio_buffer_commit_empty', EMPTY);
    this.#committed = this.#appended;
    const isTurnDetected = this.#configuration.silenceMs !== undefined;
    for (const event of this.#items.commit(isTurnDetected, !this.#recognizer.endsUtterance)) this.#send(event);
    this.#recognizer.flush();
  }

  #clear(): void {
    this.#items.clear(!this.#recognizer.endsUtterance);
    this.#appended -= this.#recognizer.reset();
    this.#committed = this.#appended;
  }

  #update(session: unknown): void {
    const before = this.#configuration;
    const after = mergeUpdate(before, session);
    const { model } = after;
    if (model !== undefined && model !== before.model && !this.#selectModel(model)) return;
    this.#configuration = after;
    this.#recognizer.configure();
    this.#send({ type: 'session.updated', session: this.#describe() });
    if (model !== undefined && before.model === undefined) this.#recognizer.enable();
  }

  /**
   * Checks a model that the client selects. If the model cannot be used, closes the connection and returns false.
   * Throws if there is a session, because the model of a session cannot change.
   */
  #selectModel(model: string): boolean {
    if (this.#recognizer.isActive) {
      const message = 'The model cannot change while audio is recognized. Open another connection.';
      throw new InvalidEvent('model_not_changeable', message, 'session.audio.input.transcription.model');
    }
    try {
      this.#parts.requireModel(model);
      return true;
    } catch (error) {
      this.#close(closingFor(error as Error));
      return false;
    }
  }

  #streamConfiguration(): Configuration {
    const { model, delay, silenceMs } = this.#configuration;
    const context = model === undefined ? undefined : contextFor(delay, this.#parts.contextsOf(model));
    return { context: context ?? [...AUDIO.defaultContext], silenceMs };
  }

  #describe(): object {
    const { model } = this.#configuration;
    const language = model === undefined ? undefined : this.#parts.languageOf(model);
    return describeSession(this.#session, this.#configuration, language);
  }

  #onMessage(message: ServerMessage, offsetMs: number, endedBy: EndedBy): void {
    if (message.type === 'final') {
      const endSample = ((offsetMs + message.audio_end_ms) * AUDIO.sampleRateHz) / 1000;
      this.#committed = Math.max(this.#committed, Math.min(endSample, this.#appended));
    }
    for (const event of this.#items.translate(message, offsetMs, endedBy)) this.#send(event);
  }

  #refuse({ code, message, param }: InvalidEvent, eventId: string | undefined): void {
    const detail = { type: 'invalid_request_error', code, message, param, eventId };
    if (code === 'input_audio_buffer_commit_empty') this.#send(errorEvent(detail));
    else if (++this.#refused[code === 'rate_limited' ? 'rate' : 'invalid'] < REALTIME_LIMITS.maxInvalidEvents) {
      this.#send(errorEvent(detail));
    } else this.#close({ code: CLOSE.refused, reason: code, error: detail });
  }

  #send(event: ServerEvent): void {
    if (!this.#isClosed) this.#socket.send(writeEvent(event));
  }

  #close({ code, reason, error }: Closing): void {
    if (this.#isClosed) return;
    if (error !== undefined) this.#send(errorEvent(error));
    this.#isClosed = true;
    this.#recognizer.close(code);
    this.#socket.close(code, reason);
  }
}

const BINARY = 'Send events as text. Send audio in base64, with input_audio_buffer.append.';
const EMPTY = 'The audio buffer is empty. Append audio before the commit.';
const RATE_LIMITED = `More than ${STREAM_LIMITS.textMessagesPerSecond} events per second arrived besides audio; this one was ignored. Send fewer.`;
