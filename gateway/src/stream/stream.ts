import { MessageRate, parseClientMessage, samplesOf } from '@svc-asr/core';
import { STREAM_ERRORS, STREAM_LIMITS, streamError } from '@svc-asr/core';
import type { ConfigMessage, ContextSize, StreamErrorCode } from '@svc-asr/core';
import { Clocks } from './client/clocks.ts';
import type { StreamClient } from './client/client.ts';
import { applyAnswer } from './client/answer-events.ts';
import { configAck, readyEvent } from './client/events.ts';
import { buildConfiguration, isSameConfiguration } from './configuration.ts';
import type { Configuration } from './configuration.ts';
import { cancelled, closedByClient, PROTOCOL_VIOLATION, sessionEnd } from './ending.ts';
import type { Ending } from './ending.ts';
import { isTimely } from './recognition/delta-clock.ts';
import { describeWait } from './recognition/describe-wait.ts';
import { meter } from './client/meter.ts';
import { Recognition } from './recognition/recognition.ts';
import type { StreamAnswer } from './recognition/recognition-events.ts';
import type { StreamEnd, StreamParts, StreamSession } from './session.ts';
import { Utterances } from './recognition/utterances.ts';

/** Number of chunks that a worker may be behind before the sender is slowed down. */
const CHUNKS_AHEAD = 4;
/** Number of unanswered flushes and resets before the sender is slowed down. */
const MAX_UNANSWERED = 32;
/** Maximum number of configs that are queued before `ready`. A client has no reason to send more. */
const MAX_EARLY_CONFIGS = 16;

/** Messages of the errors for configurations that a worker does not support. */
const REFUSALS = {
  context: 'The model does not support this context.',
  endpointing: 'Endpointing is not available while the service is being upgraded. Retry later, or leave it out.',
} as const;

/** Stream of one client, from the accepted handshake to its close. */
export class Stream {
  readonly session: StreamSession;
  /** Resolves with the outcome when the stream has ended. */
  readonly ended: Promise<StreamEnd>;
  #resolveEnded!: (end: StreamEnd) => void;
  readonly #parts: StreamParts;
  readonly #client: StreamClient;
  readonly #utterances = new Utterances();
  readonly #recognition: Recognition;
  readonly #limitSamples: number;
  #clocks: Clocks | undefined;
  #chunkSamples = 0;
  #ready = false;
  /** Queued messages: configs before `ready`, and every message while the configuration changes. */
  #queued: (string | Buffer)[] = [];
  /** Set while a worker opens the stream with another configuration. */
  #change: { from: Configuration; to: Configuration } | undefined;
  readonly #textRate = new MessageRate(STREAM_LIMITS.textMessagesPerSecond, STREAM_LIMITS.textMessageBurst);
  /** Number of errors by code. */
  readonly #errors = new Map<StreamErrorCode, number>();
  #ending: Ending | undefined;
  #finalTimer: NodeJS.Timeout | undefined;
  #finished = false;

  constructor(parts: StreamParts, session: StreamSession, client: StreamClient) {
    this.#parts = parts;
    this.session = session;
    this.#client = client;
    this.#limitSamples = samplesOf(session.reservedMs / 1000);
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    client.send({ type: 'status', state: 'connecting', message: 'Looking for a worker.' });
    this.#recognition = new Recognition(parts, session, this.#utterances, {
      onWait: (wait) => this.#status('waiting_for_capacity', describeWait(wait)),
      onPlaced: () => this.#status('initializing', 'A worker was assigned.'),
      onOpened: (context, chunkSamples) => this.#onOpened(context, chunkSamples),
      onAnswer: (answer) => this.#onAnswer(answer),
      onConfigurationRefused: (part) => this.#onConfigurationRefused(part),
      onFailed: (code) => this.fail(code),
    });
  }

  /** Handles a message of the client. */
  receive(data: Buffer, isBinary: boolean): void {
    if (this.#ending !== undefined || this.#finished) return;
    this.#clocks?.onMessage();
    if (isBinary) this.#handle(data);
    else if (this.#textRate.take(performance.now()) > 0) this.#error('rate_limited');
    else this.#handle(data.toString());
  }

  onPong(): void {
    this.#clocks?.onPong();
  }

  /**
   * Call when the client sent an invalid WebSocket frame or a message that is too large. The socket is not read any
   * more.
   */
  onProtocolError(closeCode: number): void {
    if (closeCode === 1009) this.#error('frame_too_large');
    else this.#finish(PROTOCOL_VIOLATION);
  }

  /** Call when the connection of the client is closed. */
  onClosed(code: number): void {
    this.#finish(this.#excuse(this.#ending ?? closedByClient(this.#ready, code)));
  }

  /** Ends the stream without a `final`, because the account has cancelled the session. */
  cancel(): void {
    this.#finish(this.#excuse(cancelled(this.#ending)));
  }

  /** Makes an ending by the client free of charge if the service owed the client an answer. */
  #excuse(ending: Ending): Ending {
    return this.#recognition.stalled ? { ...ending, outcome: 'failed' } : ending;
  }

  /** Ends the stream after a `final` of the buffered audio. */
  endWithFinal(ending: Ending): void {
    if (this.#ending !== undefined || this.#finished) return;
    this.#ending = ending;
    this.#clocks?.stop();
    if (!this.#ready) {
      this.#finish(ending);
      return;
    }
    this.#end('flush');
    // A worker that is lost now must not delay the close. A stream whose last `final` is missing fails and is free of
    // charge.
    const endWithoutFinal = () => (ending.outcome === 'failed' ? this.#finish(ending) : this.fail('internal_error'));
    this.#finalTimer = setTimeout(endWithoutFinal, this.#parts.times.finalMs);
  }

  #handle(data: string | Buffer): void {
    if (this.#change !== undefined) {
      this.#queued.push(data);
      return;
    }
    if (typeof data !== 'string') {
      this.#audio(data);
      return;
    }
    const parsed = parseClientMessage(data);
    if (!parsed.ok) {
      this.#error(parsed.code, parsed.reason);
      return;
    }
    const { message } = parsed;
    if (message.type === 'keepalive') return;
    if (message.type === 'config') this.#configure(message, data);
    else if (this.#ready) this.#end(message.type);
    else this.#error('invalid_message', `Wait for "ready" before ${message.type}.`);
  }

  #end(ending: 'flush' | 'reset'): void {
    this.#recognition.end(ending);
    const timely = isTimely(this.#utterances.outstanding, this.#chunkSamples);
    if (ending === 'reset') this.#utterances.reset();
    else this.#utterances.flush(timely ? performance.now() : undefined);
    this.#pace();
  }

  #audio(frame: Buffer): void {
    if (!this.#ready) {
      this.#error('audio_before_ready');
      return;
    }
    const metered = meter(frame, this.#utterances.acceptedSamples, this.#limitSamples);
    if (!metered.ok) {
      this.#error(metered.code);
      return;
    }
    if (metered.pcm.length > 0) {
      this.#utterances.append(metered.pcm);
      this.#recognition.forwardAudio();
    }
    if (metered.full) this.endWithFinal({ outcome: 'completed', code: 1000, reason: 'audio_limit_reached' });
    else this.#pace();
  }

  /** Handles a config. `data` is its text. */
  #configure({ language, ...fields }: ConfigMessage, data: string): void {
    const [from, to] = [this.#recognition.configuration, buildConfiguration(fields)];
    if (!this.#ready && this.#queued.length < MAX_EARLY_CONFIGS) this.#queued.push(data);
    else if (!this.#ready) this.#error('invalid_message', 'Wait for "ready" before config.');
    else if (this.#utterances.current.samples > 0) this.#error('config_not_allowed');
    else if (language !== undefined && language !== this.session.languageCode) {
      this.#error('invalid_config', `The model supports only the language "${this.session.languageCode}".`);
    } else if (isSameConfiguration(from, to)) {
      this.#client.send(configAck(this.session, from, this.#chunkSamples));
    } else {
      this.#change = { from, to };
      this.#reconfigure(to);
    }
  }

  /**
   * Opens the stream again with another configuration, once the worker has answered every utterance. Called again after
   * each answer until then.
   */
  #reconfigure(to: Configuration): void {
    this.#client.read(false);
    if (!this.#utterances.owed) this.#recognition.reopen(to);
  }

  #onConfigurationRefused(part: keyof typeof REFUSALS): void {
    const from = this.#change?.from;
    if (from === undefined) {
      this.fail('internal_error');
      return;
    }
    this.#error('invalid_config', REFUSALS[part]);
    this.#change = { from, to: from };
    this.#recognition.reopen(from);
  }

  #onOpened(context: ContextSize, chunkSamples: number): void {
    this.#chunkSamples = chunkSamples;
    const { configuration } = this.#recognition;
    // The stream has moved before it could be opened with the other configuration.
    if (this.#change !== undefined && this.#change.to !== configuration) return;
    const changed = this.#change !== undefined && this.#change.to !== this.#change.from;
    this.#change = undefined;
    if (!this.#ready) this.#start(context);
    else if (changed) this.#client.send(configAck(this.session, { ...configuration, context }, chunkSamples));
    const queued = this.#queued;
    this.#queued = [];
    for (const data of queued) if (this.#ending === undefined) this.#handle(data);
    this.#pace();
  }

  #start(context: ContextSize): void {
    this.#ready = true;
    this.#client.send(readyEvent(this.session, context, this.#chunkSamples));
    this.session.watch.recordReady();
    const { idleMs, pingMs, extraMs } = this.#parts.times;
    this.#clocks = new Clocks(this.#parts.ticker, {
      idleMs,
      pingMs,
      lifetimeMs: this.session.reservedMs + extraMs,
      isReading: () => this.#client.isReading,
      ping: () => this.#client.ping(),
      onIdle: () => this.#error('idle_timeout'),
      onUnresponsive: () => this.#client.terminate(),
      onLifetime: () => this.endWithFinal({ outcome: 'completed', code: 1000, reason: 'session_time_limit' }),
    });
  }

  #onAnswer(answer: StreamAnswer): void {
    const events = applyAnswer(this.#utterances, answer, {
      endpointing: this.#recognition.configuration.silenceMs !== undefined,
      onFinal: ({ number, flushedAtMs }) => this.session.watch.recordFinal(number, flushedAtMs),
    });
    for (const event of events) this.#client.send(event);
    if (this.#ending !== undefined && !this.#utterances.owed) this.#finish(this.#ending);
    else if (this.#change !== undefined && !this.#utterances.owed) this.#reconfigure(this.#change.to);
    else this.#pace();
  }

  #pace(): void {
    if (this.#ending !== undefined || this.#change !== undefined) return;
    const { all, outstanding } = this.#utterances;
    const ahead = outstanding >= CHUNKS_AHEAD * Math.max(this.#chunkSamples, 5120);
    this.#client.read(!ahead && all.length <= MAX_UNANSWERED);
  }

  #status(state: 'waiting_for_capacity' | 'initializing', message: string): void {
    if (!this.#ready) this.#client.send({ type: 'status', state, message });
  }

  #error(code: StreamErrorCode, message?: string): void {
    const earlier = this.#errors.get(code) ?? 0;
    this.#errors.set(code, earlier + 1);
    const outcome = streamError(code, earlier, message);
    if (outcome.close === undefined) {
      this.#client.send(outcome.event);
      return;
    }
    const { message: text } = outcome.event;
    const ending = { outcome: 'completed', code: outcome.close, reason: code, error: code, message: text } as const;
    // A client may be silent because it waits for an answer.
    this.#finish(code === 'idle_timeout' ? this.#excuse(ending) : ending);
  }

  /** Ends the stream because of an error of the service. The stream is free of charge. */
  fail(code: 'no_capacity' | 'internal_error'): void {
    this.#finish({ outcome: 'failed', code: STREAM_ERRORS[code].close, reason: code, error: code });
  }

  #finish(ending: Ending): void {
    if (this.#finished) return;
    const { outcome, code, reason, error, message } = ending;
    this.#finished = true;
    clearTimeout(this.#finalTimer);
    this.#clocks?.stop();
    this.#recognition.stop();
    if (error !== undefined) {
      this.#client.send({ type: 'error', code: error, message: message ?? STREAM_ERRORS[error].message, fatal: true });
    }
    this.#client.close(code, reason);
    const samples = this.#utterances.acceptedSamples;
    this.#resolveEnded({ outcome, reason, samples, end: sessionEnd(ending) });
  }
}
