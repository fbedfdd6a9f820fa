import type { ContextSize, RelayAnswer } from '@svc-asr/core';
import { signTicket } from '@svc-asr/runtime';
import { AnswerClock } from './answer-clock.ts';
import { Avoided } from './avoided.ts';
import { DeltaClock } from './delta-clock.ts';
import { isUsable } from './gather.ts';
import type { ChunkSize } from './gather.ts';
import { findWorker } from './placement.ts';
import type { RecognitionEvents } from './recognition-events.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import type { Utterance } from './utterance.ts';
import type { Utterances } from './utterances.ts';
import { WorkerLink } from './worker-link.ts';

/** Number of workers that may fail on an utterance before its stream fails, because it may be the cause. */
const MAX_WORKER_FAILURES = 2;

/**
 * Keeps a stream on a worker. Audio is forwarded as it arrives and kept until the worker has answered it. If the worker
 * is lost, hangs or drains, the stream moves and the audio is replayed from the oldest unanswered utterance on.
 */
export class Recognition {
  context: ContextSize;
  readonly #parts: StreamParts;
  readonly #session: StreamSession;
  readonly #utterances: Utterances;
  readonly #events: RecognitionEvents;
  readonly #avoided: Avoided;
  #link: WorkerLink | undefined;
  /** Id of the current worker, or of the last one while the stream has none. */
  #worker = '';
  #revision = '';
  readonly #deltaClock = new DeltaClock();
  #opened = false;
  /** True once any worker has opened the stream. */
  #everOpened = false;
  /** True while a worker opens the stream again because the client has changed the context. */
  #reopening = false;
  /** A move does not restart it, so the time that several workers were silent counts together. */
  readonly #answerClock = new AnswerClock(performance.now());
  /** Deadline for getting a worker. Only a worker that opens the stream clears it, not one that was merely assigned. */
  #workerDeadlineMs: number | undefined;
  #size: ChunkSize = { chunkSamples: 1, earlySamples: 0 };
  /** Number of the latest search for a worker. Older searches that are still running are abandoned. */
  #searchNumber = 0;
  #epoch = 0;
  #stopped = false;

  constructor(
    parts: StreamParts,
    session: StreamSession,
    utterances: Utterances,
    context: ContextSize,
    events: RecognitionEvents,
  ) {
    this.#parts = parts;
    this.#session = session;
    this.#utterances = utterances;
    this.context = context;
    this.#events = events;
    this.#avoided = new Avoided(parts.times.workerAvoidMs);
    parts.ticker.add(this.#checkProgress);
    this.#findNextWorker();
  }

  /**
   * True if the service is at fault for what the client is missing now. Either the stream has no worker, or an answer
   * is overdue by more than `workerSilenceMs`, which several workers in a row may have caused. `alive` is no answer. A
   * client that changes the context leaves its worker for a moment, and that alone is no fault of the service.
   */
  get stalled(): boolean {
    if (!this.#opened && !this.#reopening) return true;
    return this.#answerClock.overdueMs(performance.now()) > this.#parts.times.workerSilenceMs;
  }

  /** Call after audio was appended to the current utterance. Sends the audio now or with later audio. */
  forwardAudio(): void {
    this.#checkOwing();
    if (!this.#opened) return;
    const { current, outstanding } = this.#utterances;
    this.#deltaClock.markArrival(current.samples, outstanding, this.#size.chunkSamples, performance.now());
    if (isUsable(current, this.#size)) this.#send(current);
  }

  /** Call before the current utterance ends. */
  end(ending: 'flush' | 'reset'): void {
    this.#answerClock.setOwing(true, performance.now());
    if (!this.#opened) return;
    this.#deltaClock.reset();
    if (ending === 'flush') this.#send(this.#utterances.current);
    this.#link?.mark(ending);
  }

  /** Opens the stream again with another context. The worker must have answered every utterance before. */
  reopen(context: ContextSize): void {
    this.context = context;
    this.#leaveWorker();
    this.#reopening = true;
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
   * reason. A worker that did not open the stream has not proved that it is healthy.
   */
  #releaseWorker(failure?: string): void {
    if (this.#link !== undefined && (this.#opened || failure !== undefined)) {
      this.#parts.tallies.countStream(this.#session.model, this.#revision, failure !== undefined);
    }
    this.#leaveWorker(failure);
  }

  /** Closes the link to the worker without counting the stream. */
  #leaveWorker(failure?: string): void {
    if (this.#link !== undefined) this.#session.watch.leaveWorker(failure);
    this.#opened = false;
    this.#reopening = false;
    this.#deltaClock.reset();
    this.#link?.close();
    this.#link = undefined;
  }

  #findNextWorker(): void {
    this.#connect().catch((err: unknown) => {
      // Redis rejected the request (an unavailable Redis is retried in findWorker). A retry would not help this stream,
      // and an unhandled rejection would end the process and with it all other streams.
      this.#parts.logger.error({ err, session_id: this.#session.sessionId }, 'stream could not be placed; ending it');
      if (!this.#stopped) this.#events.onFailed('internal_error');
    });
  }

  async #connect(): Promise<void> {
    const searchNumber = ++this.#searchNumber;
    const isAbandoned = () => this.#stopped || searchNumber !== this.#searchNumber;
    const { onWait } = this.#events;
    const { watch } = this.#session;
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
    this.#worker = worker.id;
    this.#revision = worker.revision;
    const { ticketKey, times, workerConnections, workerTrust } = this.#parts;
    const { sessionId: session, model } = this.#session;
    const address = workerConnections.pickAddress(worker);
    const trust = workerTrust.check(model, address);
    if ('refusal' in trust) {
      watch.leaveWorker(trust.refusal);
      this.#move(trust.refusal, true);
      return;
    }
    const ticket = { session, model, worker: worker.id, epoch: ++this.#epoch };
    this.#link = new WorkerLink(workerConnections, {
      address,
      tls: trust.tls,
      ticket: signTicket(ticketKey.current, { ...ticket, expMs: Date.now() + times.ticketMs }),
      context: this.context,
      traceparent,
      replayedSamples: this.#utterances.held,
      openTimeoutMs: times.workerOpenMs,
      onMessage: (message) => this.#receive(message),
      onLost: (reason) => this.#move(reason),
      onWrongWorker: (reason) => this.#move(reason, true),
    });
  }

  #receive(message: RelayAnswer): void {
    switch (message.type) {
      case 'opened':
        this.#opened = true;
        this.#reopening = false;
        this.#everOpened = true;
        this.#workerDeadlineMs = undefined;
        this.#size = { chunkSamples: message.chunk_samples, earlySamples: message.early_samples ?? 0 };
        this.#replay();
        this.#checkOwing();
        this.#events.onOpened(message.context, message.chunk_samples);
        return;
      case 'delta':
        this.#recordLatency(message.audio_end);
        this.#events.onAnswer(message);
        return;
      case 'final':
      case 'reset_done':
      case 'consumed':
        this.#answerClock.recordAnswer(this.#utterances.head, message, performance.now());
        this.#events.onAnswer(message);
        if (this.#opened) this.#checkOwing();
        return;
      case 'move':
        this.#move(undefined);
        return;
      case 'error':
        if (message.code === 'context_unsupported') this.#events.onContextRefused();
        else this.#move(message.code);
        return;
    }
  }

  /**
   * Records the latency of a delta. Nothing is recorded while the worker still has to answer an earlier utterance.
   * Later audio then waits, but not because the worker is slow.
   */
  #recordLatency(audioEnd: number): void {
    if (this.#utterances.owed) return;
    const latencyMs = this.#deltaClock.takeLatency(audioEnd, performance.now());
    if (latencyMs === undefined) return;
    this.#parts.tallies.countDelta(this.#session.model, this.#revision, latencyMs);
    this.#session.watch.recordDelta(latencyMs);
  }

  /** Sends the part of an utterance that the current worker was not sent yet. */
  #send(utterance: Utterance): void {
    for (const pcm of utterance.takeUnsent()) this.#link?.audio(pcm);
  }

  #checkOwing(): void {
    this.#answerClock.setOwing(this.#utterances.owesAnswer(this.#size.chunkSamples), performance.now());
  }

  /** Sends all utterances that the previous worker has not answered to the new worker. */
  #replay(): void {
    this.#utterances.forgetProgress();
    for (const utterance of this.#utterances.all) {
      this.#send(utterance);
      if (utterance.ending !== undefined) this.#link?.mark(utterance.ending);
    }
  }

  /**
   * Moves the stream to another worker. `reason` is set if the worker failed, and undefined if it drains. After more
   * than MAX_WORKER_FAILURES worker failures on the same utterance the stream fails, because the utterance may be the
   * cause. A wrong worker is not one of the model, and was sent no audio.
   */
  #move(reason: string | undefined, isWrongWorker = false): void {
    if (this.#stopped) return;
    const { head } = this.#utterances;
    const { sessionId: session_id, model } = this.#session;
    const fields = { session_id, model, worker: this.#worker, reason: reason ?? 'the worker is draining' };
    this.#parts.logger.info(fields, 'a stream moves to another worker');
    // The revision of a wrong worker is not known to be one of the model.
    if (isWrongWorker) this.#leaveWorker(reason);
    else this.#releaseWorker(reason);
    this.#session.watch.recordMove(this.#worker, reason);
    this.#avoided.add(this.#worker, performance.now());
    const failures = reason === undefined || isWrongWorker ? 0 : head.countWorkerFailure();
    if (failures > MAX_WORKER_FAILURES) this.#events.onFailed('internal_error');
    else if (performance.now() >= (this.#workerDeadlineMs ?? Infinity)) this.#events.onFailed('no_capacity');
    else this.#findNextWorker();
  }

  /**
   * Moves the stream off a hung worker. It has work to do and has sent no message for `workerSilenceMs`, or it reports
   * progress but has owed this stream an answer for `workerAnswerMs`.
   */
  readonly #checkProgress = (nowMs: number): void => {
    const link = this.#link;
    if (link === undefined || !this.#opened) return;
    const { workerSilenceMs, workerAnswerMs } = this.#parts.times;
    const overdueMs = this.#answerClock.overdueMs(nowMs, link.openedAtMs);
    if (!this.#utterances.busy) link.excuseSilence(nowMs);
    else if (nowMs - link.silentSinceMs > workerSilenceMs) this.#move('the worker makes no progress');
    else if (overdueMs > workerAnswerMs) this.#move('the worker does not answer');
  };
}
