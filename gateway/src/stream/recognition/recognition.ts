import { TOO_MANY_STREAMS } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';
import type { PlacedWorker } from '@svc-asr/ledger';
import { buildConfiguration, findMissingPart, isNewPart } from '../configuration.ts';
import type { Configuration } from '../configuration.ts';
import { AnswerClock } from './answer-clock.ts';
import { AudioFeed } from './audio-feed.ts';
import { Avoided } from './avoided.ts';
import { DeltaLatency } from './delta-latency.ts';
import type { ChunkSize } from './gather.ts';
import { Handover } from './handover.ts';
import { MISSING_PARTS, openLink } from './open-link.ts';
import { findWorker } from './placement.ts';
import type { RecognitionEvents, StreamAnswer } from './recognition-events.ts';
import { DIVIDED_DIFFERENTLY, Repetition } from './repetition.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import { MAX_WORKER_FAILURES } from './utterance.ts';
import type { Utterances } from './utterances.ts';
import type { LinkEvents, WorkerLink } from './worker-link.ts';

/**
 * Keeps a stream at a worker. Audio is forwarded when the worker can use it, and kept until its utterance is answered.
 * If the worker is lost or hangs, the stream moves to another one, and the audio is replayed from the oldest unanswered
 * utterance on. If the worker drains or has too many streams, it serves the stream until another worker has caught up.
 */
export class Recognition {
  /** Configuration of the stream. Set it before the stream is opened, and use `reopen` to change it later. */
  configuration = buildConfiguration();
  readonly #parts: StreamParts;
  readonly #session: StreamSession;
  readonly #utterances: Utterances;
  readonly #events: RecognitionEvents;
  readonly #avoided: Avoided;
  #link: WorkerLink | undefined;
  /** Set while the current worker drains or has too many streams. */
  #handover: Handover | undefined;
  /** True if the worker drains. Its loss is then not a failure. */
  #isDraining = false;
  #repetition = new Repetition();
  /** The current worker. While the stream has no worker, the previous one. */
  #worker: Pick<PlacedWorker, 'id' | 'revision'> = { id: '', revision: '' };
  readonly #deltaLatency: DeltaLatency;
  #opened = false;
  #everOpened = false;
  /** Address of the worker that served the stream before the client changed the configuration. */
  #previousAddress: string | undefined;
  /** Configuration before a change by the client. Set until the next worker has opened the stream or was lost. */
  #reopenedFrom: Configuration | undefined;
  /** Clock of overdue answers. A move does not restart it, so that the times of several silent workers add up. */
  readonly #answerClock = new AnswerClock(performance.now());
  /** Time by which a worker must open the stream, however many workers are tried. Undefined while it is open. */
  #workerDeadlineMs: number | undefined;
  #size: ChunkSize = { chunkSamples: 1, earlySamples: 0 };
  readonly #feed: AudioFeed;
  /** Number of the latest search for a worker. Earlier searches that are still running are abandoned. */
  #searchNumber = 0;
  #epoch = 0;
  #stopped = false;
  readonly #linkEvents: LinkEvents = {
    onMessage: (message) => this.#receive(message),
    onLost: (reason) => this.#move(reason),
    onWrongWorker: (reason) => this.#move(reason, 'wrong worker'),
  };

  constructor(parts: StreamParts, session: StreamSession, utterances: Utterances, events: RecognitionEvents) {
    this.#parts = parts;
    this.#session = session;
    this.#utterances = utterances;
    this.#events = events;
    this.#deltaLatency = new DeltaLatency(parts, session, utterances);
    this.#feed = new AudioFeed(utterances, () => ({ link: this.#link, handover: this.#handover }));
    this.#avoided = new Avoided(parts.times.workerAvoidMs);
    parts.ticker.add(this.#checkProgress);
    this.#findNextWorker();
  }

  /**
   * True if the client is missing an answer now and the service is at fault. Either no worker has opened the stream, or
   * an answer is overdue by more than `workerSilenceMs`. Delays by several workers add up. An `alive` message is no
   * answer. While a worker opens the stream with another configuration, only an overdue answer is a fault.
   */
  get stalled(): boolean {
    if (!this.#opened && this.#reopenedFrom === undefined) return true;
    return this.#answerClock.overdueMs(performance.now()) > this.#parts.times.workerSilenceMs;
  }

  /** Call after audio was appended to the current utterance. */
  forwardAudio(): void {
    const nowMs = performance.now();
    this.#checkOwing(nowMs);
    if (!this.#opened) return;
    this.#deltaLatency.markArrival(this.#size.chunkSamples, nowMs);
    this.#feed.forward(this.#size);
  }

  /** Call before the current utterance is ended. */
  end(ending: 'flush' | 'reset'): void {
    this.#answerClock.setOwing(true, performance.now());
    if (this.#opened) this.#feed.end(ending);
  }

  /** Opens the stream again with another configuration. Every utterance must have been answered before. */
  reopen(configuration: Configuration): void {
    const before = this.configuration;
    this.configuration = configuration;
    this.#previousAddress = this.#link?.address;
    this.#link?.close(true);
    this.#leaveWorker();
    this.#reopenedFrom = before;
    this.#answerClock.startOpening(performance.now());
    this.#findNextWorker();
  }

  stop(): void {
    this.#stopped = true;
    this.#parts.ticker.remove(this.#checkProgress);
    this.#releaseWorker();
  }

  /**
   * Counts the stream for the revision of its worker, and leaves the worker. If the worker failed, `failure` is the
   * reason. A worker that neither opened the stream nor failed is not counted.
   */
  #releaseWorker(failure?: string): void {
    if (this.#link !== undefined && (this.#opened || failure !== undefined)) {
      this.#parts.tallies.countStream(this.#session.model, this.#worker.revision, failure !== undefined);
    }
    this.#leaveWorker(failure);
  }

  #leaveWorker(failure?: string): void {
    if (this.#link !== undefined) this.#session.watch.leaveWorker(failure);
    this.#opened = false;
    this.#reopenedFrom = undefined;
    this.#deltaLatency.reset();
    this.#handover?.stop();
    this.#handover = undefined;
    this.#isDraining = false;
    this.#repetition = new Repetition();
    this.#link?.close();
    this.#link = undefined;
  }

  #findNextWorker(): void {
    this.#connect().catch((err: unknown) => {
      // Redis rejected the request. (If Redis is unavailable, findWorker repeats the request.) A retry would not help
      // this stream. An unhandled rejection would end the process and with it all other streams.
      this.#parts.logger.error({ err, session_id: this.#session.sessionId }, 'stream could not be placed; ending it');
      if (!this.#stopped) this.#events.onFailed('internal_error');
    });
  }

  async #connect(): Promise<void> {
    const searchNumber = ++this.#searchNumber;
    const isAbandoned = () => this.#stopped || searchNumber !== this.#searchNumber;
    const [{ onWait }, { watch }] = [this.#events, this.#session];
    watch.startSearch();
    const avoid = () => this.#avoided.list(performance.now(), this.#everOpened);
    const untilMs = (this.#workerDeadlineMs ??= performance.now() + this.#session.maxWaitMs);
    const worker = await findWorker(this.#parts, this.#session, { untilMs, avoid, onWait, isAbandoned });
    if (isAbandoned()) return;
    const traceparent = watch.endSearch(worker);
    if (worker === undefined) {
      this.#events.onFailed('no_capacity');
      return;
    }
    this.#events.onPlaced();
    this.#worker = worker;
    const [configuration, utterances, previousAddress] = [this.configuration, this.#utterances, this.#previousAddress];
    const request = { configuration, utterances, traceparent, previousAddress, epoch: ++this.#epoch };
    const link = openLink(this.#parts, this.#session, worker, request, this.#linkEvents);
    if ('refusal' in link) {
      watch.leaveWorker(link.refusal);
      this.#move(link.refusal, 'wrong worker');
    } else this.#link = link;
  }

  #receive(message: RelayAnswer): void {
    switch (message.type) {
      case 'opened':
        this.#receiveOpened(message);
        return;
      case 'delta':
      case 'final':
      case 'reset_done':
      case 'consumed':
        this.#receiveAnswer(message, performance.now());
        return;
      case 'move':
        this.#prepareMove(message.reason);
        return;
      case 'error':
        if (message.code === 'context_unsupported') this.#events.onConfigurationRefused('context');
        else this.#move(message.code);
    }
  }

  #receiveAnswer(answer: StreamAnswer, nowMs: number): void {
    const { head } = this.#utterances;
    const kind = this.#repetition.check(answer, head);
    if (kind === 'different') this.#move(DIVIDED_DIFFERENTLY);
    if (kind !== 'new') return;
    if (answer.type === 'delta') this.#deltaLatency.record(this.#worker.revision, answer.audio_end, nowMs);
    else this.#answerClock.recordAnswer(head, answer, nowMs);
    if (answer.type === 'final' || answer.type === 'reset_done') this.#handover?.recordAnswer(answer);
    this.#events.onAnswer(answer);
    if (!this.#opened) return;
    // The chunks of the next utterance start at this pause, so unsent audio may complete a chunk now.
    if (answer.type === 'final' && answer.endpoint === true) this.#feed.forward(this.#size);
    this.#checkOwing(nowMs);
  }

  /** Leaves a worker that lacks a part of the configuration, or refuses the part if the client just turned it on. */
  #receiveOpened(opened: Extract<RelayAnswer, { type: 'opened' }>): void {
    const missing = findMissingPart(this.configuration, opened);
    if (missing === undefined) {
      this.#repetition = this.#feed.replay();
      this.#onOpened(opened);
    } else if (isNewPart(missing, this.#reopenedFrom)) this.#events.onConfigurationRefused(missing);
    else this.#move(MISSING_PARTS[missing], 'wrong worker');
  }

  #onOpened({ context, chunk_samples, early_samples }: Extract<RelayAnswer, { type: 'opened' }>): void {
    this.#opened = true;
    this.#reopenedFrom = undefined;
    this.#everOpened = true;
    this.#workerDeadlineMs = undefined;
    this.#size = { chunkSamples: chunk_samples, earlySamples: early_samples };
    this.#checkOwing(performance.now());
    this.#events.onOpened(context, chunk_samples);
  }

  #checkOwing(nowMs: number): void {
    this.#answerClock.setOwing(this.#utterances.owesAnswer(this.#size.chunkSamples), nowMs);
  }

  /** Prepares the move to another worker, because the current one drains or has too many streams. */
  #prepareMove(reason?: string): void {
    this.#isDraining ||= reason !== TOO_MANY_STREAMS;
    this.#handover ??= new Handover(this.#parts, this.#session, this.#utterances, {
      configuration: this.configuration,
      worker: this.#worker.id,
      avoided: this.#avoided,
      nextEpoch: () => ++this.#epoch,
      onReady: () => this.#move(this.#isDraining ? 'drain' : TOO_MANY_STREAMS, 'prepared'),
    });
  }

  /**
   * Moves the stream to the prepared worker, or to any other worker if none is prepared. Without a prepared worker, the
   * stream fails if more than MAX_WORKER_FAILURES workers failed on the same utterance, because the utterance may be
   * the cause. It also fails if the deadline for a worker has passed. The loss of a draining worker is not a failure.
   * "Wrong worker" means that the worker does not belong to the model or cannot apply the configuration.
   */
  #move(reason: string, kind: 'failure' | 'prepared' | 'wrong worker' = 'failure'): void {
    if (this.#stopped) return;
    const { sessionId: session_id, model, watch } = this.#session;
    this.#parts.logger.info({ session_id, model, worker: this.#worker.id, reason }, 'a stream moves to another worker');
    const failure = kind === 'prepared' || this.#isDraining ? undefined : reason;
    const cause = failure !== undefined ? 'failure' : this.#isDraining ? 'drain' : 'overload';
    const successor = this.#handover?.take();
    this.#handover = undefined;
    // It is unknown whether the revision of a wrong worker belongs to the model, so nothing is counted for it.
    if (kind === 'wrong worker') this.#leaveWorker(failure);
    else this.#releaseWorker(failure);
    watch.recordMove(this.#worker.id, cause, reason);
    this.#avoided.add(this.#worker.id, performance.now());
    const failures = failure === undefined || kind !== 'failure' ? 0 : this.#utterances.head.countWorkerFailure();
    if (successor !== undefined) this.#adopt(successor);
    else if (failures > MAX_WORKER_FAILURES) this.#events.onFailed('internal_error');
    else if (performance.now() >= (this.#workerDeadlineMs ?? Infinity)) this.#events.onFailed('no_capacity');
    else this.#findNextWorker();
  }

  #adopt({ worker, link, opened, progress, repetition }: NonNullable<ReturnType<Handover['take']>>): void {
    this.#session.watch.completeMove();
    this.#worker = worker;
    this.#link = link;
    link.events = this.#linkEvents;
    if (opened === undefined) return;
    this.#utterances.adoptProgress(progress);
    this.#repetition = repetition;
    this.#onOpened(opened);
  }

  /**
   * Moves the stream away from a hung worker. A worker hangs if it has work to do and has sent no message for
   * `workerSilenceMs`. It also hangs if it reports progress but has owed this stream an answer for `workerAnswerMs`.
   */
  readonly #checkProgress = (nowMs: number): void => {
    const link = this.#link;
    if (link === undefined || !this.#opened) return;
    this.#handover?.checkProgress(nowMs);
    const { workerSilenceMs, workerAnswerMs } = this.#parts.times;
    if (!this.#utterances.busy) link.excuseSilence(nowMs);
    else if (nowMs - link.silentSinceMs > workerSilenceMs) this.#move('the worker makes no progress');
    else if (this.#answerClock.overdueMs(nowMs, link.openedAtMs) > workerAnswerMs)
      this.#move('the worker does not answer');
  };
}
