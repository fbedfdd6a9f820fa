import { MessageRate, parseClientMessage, STREAM_ERRORS, STREAM_LIMITS } from '@svc-asr/core';
import type { ConfigMessage, ContextSize, StreamErrorCode } from '@svc-asr/core';
import { startClocks } from './client/start-clocks.ts';
import type { Clocks } from './client/clocks.ts';
import type { StreamClient } from './client/client.ts';
import { applyAnswer } from './client/answer-events.ts';
import { ErrorCounts } from './client/error-counts.ts';
import { configAck, readyEvent } from './client/events.ts';
import { buildConfiguration, isSameConfiguration, MAX_EARLY_CONFIGS } from './configuration.ts';
import { describeRefusal, refuseConfig } from './configuration.ts';
import type { Configuration, RefusedPart } from './configuration.ts';
import { accountEnded, AUDIO_LIMIT_REACHED, cancelled, closedByClient, PROTOCOL_VIOLATION } from './ending.ts';
import { sessionEnd, TIME_LIMIT_REACHED } from './ending.ts';
import type { Ending } from './ending.ts';
import { isTimely } from './recognition/delta-clock.ts';
import { describeWait } from './recognition/describe-wait.ts';
import { AudioLimit } from './client/audio-limit.ts';
import { isTooFast } from './client/pace.ts';
import { Recognition } from './recognition/recognition.ts';
import type { StreamAnswer } from './recognition/recognition-events.ts';
import type { Extension, StreamEnd, StreamParts, StreamSession } from './session.ts';
import { Utterances } from './recognition/utterances.ts';

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
  readonly #limit: AudioLimit;
  #clocks: Clocks | undefined;
  #chunkSamples = 0;
  #ready = false;
  /** Queued messages: configs before `ready`, and all messages while the configuration or the reservation changes. */
  #queued: (string | Buffer)[] = [];
  /** Set while a change of the configuration is pending. */
  #change: { from: Configuration; to: Configuration } | undefined;
  readonly #textRate = new MessageRate(STREAM_LIMITS.textMessagesPerSecond, STREAM_LIMITS.textMessageBurst);
  readonly #errors = new ErrorCounts();
  #ending: Ending | undefined;
  #finalTimer: NodeJS.Timeout | undefined;
  #finished = false;

  constructor(parts: StreamParts, session: StreamSession, client: StreamClient) {
    this.#parts = parts;
    this.session = session;
    this.#client = client;
    this.#limit = new AudioLimit(session);
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

  /** Handles a message of the client. Copies `data` if necessary, so the caller may use its memory again. */
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
   * Call when the client sent an invalid WebSocket frame or a message that is too large. The socket is no longer read.
   */
  onProtocolError(closeCode: number): void {
    if (closeCode === 1009) this.#error('frame_too_large');
    else this.#finish(PROTOCOL_VIOLATION);
  }

  /** Call when the connection of the client is closed. */
  onClosed(code: number): void {
    this.#finish(this.#excuse(this.#ending ?? closedByClient(this.#ready, code)));
  }

  /** Ends the stream without a `final`, because the tenant has cancelled the session. */
  cancel(): void {
    this.#finish(this.#excuse(cancelled(this.#ending)));
  }

  /** Returns the given ending. If the recognition is stalled, returns an ending that is free of charge. */
  #excuse(ending: Ending): Ending {
    return this.#recognition.stalled ? { ...ending, outcome: 'failed' } : ending;
  }

  /** Ends the stream after the `final` of the buffered audio, or at once if the stream is not `ready` yet. */
  endWithFinal(ending: Ending): void {
    if (this.#ending !== undefined || this.#finished) return;
    this.#ending = ending;
    this.#clocks?.stop();
    if (!this.#ready) {
      this.#finish(ending);
      return;
    }
    this.#end('flush');
    // The loss of a worker must not delay the close for long, so the wait for the last `final` is limited. If the last
    // `final` does not arrive, the stream fails and is free of charge.
    const endWithoutFinal = () => (ending.outcome === 'failed' ? this.#finish(ending) : this.fail('internal_error'));
    this.#finalTimer = setTimeout(endWithoutFinal, this.#parts.times.finalMs);
  }

  #handle(data: string | Buffer): void {
    if (this.#change !== undefined || this.#limit.isExtending) {
      this.#queued.push(typeof data === 'string' ? data : Buffer.from(data));
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
    const metered = this.#limit.meter(frame, this.#utterances.acceptedSamples);
    if (!metered.ok) {
      this.#error(metered.code);
      return;
    }
    if (metered.pcm.length > 0) {
      this.#utterances.append(metered.pcm);
      this.#recognition.forwardAudio();
    }
    if (metered.full && !this.#limit.canExtend) this.endWithFinal(AUDIO_LIMIT_REACHED);
    else if (metered.rest !== undefined) this.#extend(metered.rest);
    else this.#pace();
  }

  /** Reserves further audio, and then handles `rest`, the part of a frame that did not fit into the limit. */
  #extend(rest: Buffer): void {
    this.#queued.push(Buffer.from(rest));
    this.#client.read(false);
    void this.#limit.extend(() => this.#utterances.held).then((extension) => this.#onExtended(extension));
  }

  #onExtended(extension: Extension): void {
    if (this.#ending !== undefined || this.#finished) return;
    if (extension.outcome === 'ok') {
      this.#clocks?.extendLifetime(extension.ms);
      this.#handleQueued();
    } else if (extension.outcome === 'cancelled') this.cancel();
    else if (extension.outcome === 'stale' || extension.outcome === 'stopped') this.fail('internal_error');
    else this.endWithFinal(extension.outcome === 'credit' ? AUDIO_LIMIT_REACHED : accountEnded('Suspended'));
  }

  /** Handles a config message. `data` is its text. */
  #configure({ language, ...fields }: ConfigMessage, data: string): void {
    const [from, to] = [this.#recognition.configuration, buildConfiguration(fields)];
    const refusal = refuseConfig(this.session.languageCode, language, this.#utterances.current.samples > 0);
    if (!this.#ready && this.#queued.length < MAX_EARLY_CONFIGS) this.#queued.push(data);
    else if (!this.#ready) this.#error('invalid_message', 'Wait for "ready" before config.');
    else if (refusal !== undefined) {
      this.#error(refusal.code, refusal.message);
    } else if (isSameConfiguration(from, to)) {
      this.#client.send(configAck(this.session, from, this.#chunkSamples));
    } else {
      this.#change = { from, to };
      this.#reconfigure(to);
    }
  }

  /**
   * Opens the stream again with another configuration as soon as the worker has answered every utterance. If an answer
   * is still owed, `#onAnswer` calls this method again after the last owed answer.
   */
  #reconfigure(to: Configuration): void {
    this.#client.read(false);
    if (!this.#utterances.owed) this.#recognition.reopen(to);
  }

  #onConfigurationRefused(part: RefusedPart): void {
    const change = this.#change;
    if (change === undefined) {
      this.fail('internal_error');
      return;
    }
    this.#error('invalid_config', describeRefusal(part, change.to));
    this.#change = { from: change.from, to: change.from };
    this.#recognition.reopen(change.from);
  }

  #onOpened(context: ContextSize, chunkSamples: number): void {
    this.#chunkSamples = chunkSamples;
    const { configuration } = this.#recognition;
    // If the stream moved to another worker before its configuration could change, that worker has opened the stream
    // with the old configuration. The change is then still pending.
    if (this.#change !== undefined && this.#change.to !== configuration) return;
    const changed = this.#change !== undefined && this.#change.to !== this.#change.from;
    this.#change = undefined;
    if (!this.#ready) this.#start(context);
    else if (changed) this.#client.send(configAck(this.session, { ...configuration, context }, chunkSamples));
    this.#handleQueued();
  }

  #handleQueued(): void {
    const queued = this.#queued;
    this.#queued = [];
    for (const data of queued) if (this.#ending === undefined) this.#handle(data);
    this.#pace();
  }

  #start(context: ContextSize): void {
    this.#ready = true;
    this.#client.send(readyEvent(this.session, context, this.#chunkSamples));
    this.session.watch.recordReady();
    this.#clocks = startClocks(this.#parts, this.session, this.#client, {
      owesAnswer: () => this.#utterances.owed,
      onIdle: () => this.#error('idle_timeout'),
      onLifetime: () => this.endWithFinal(TIME_LIMIT_REACHED),
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
    if (this.#ending !== undefined || this.#change !== undefined || this.#limit.isExtending) return;
    this.#client.read(!isTooFast(this.#utterances, this.#chunkSamples));
  }

  #status(state: 'waiting_for_capacity' | 'initializing', message: string): void {
    if (!this.#ready) this.#client.send({ type: 'status', state, message });
  }

  #error(code: StreamErrorCode, message?: string): void {
    const outcome = this.#errors.add(code, message);
    if (outcome.close === undefined) {
      this.#client.send(outcome.event);
      return;
    }
    const { message: text } = outcome.event;
    const ending = { outcome: 'completed', code: outcome.close, reason: code, error: code, message: text } as const;
    // The stream is free of charge if the client is idle because it waits for an answer that the service owes.
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
