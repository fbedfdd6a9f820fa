import type { ContextSize, RelayAnswer } from '@svc-asr/core';
import { signTicket } from '@svc-asr/runtime';
import { Avoided } from './avoided.ts';
import { DeltaClock } from './delta-clock.ts';
import { urgencyOf } from './gather.ts';
import { findWorker } from './placement.ts';
import { MAX_REPLAYS } from '../session.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import type { Utterance, Utterances } from './utterances.ts';
import { WorkerLink } from './worker-link.ts';

export interface RecognitionEvents {
  onWait: () => void;
  onPlaced: () => void;
  /** A worker listens with this context; called again after each move. */
  onOpened: (context: ContextSize, chunkSamples: number) => void;
  onAnswer: (answer: Extract<RelayAnswer, { type: 'delta' | 'final' | 'reset_done' | 'consumed' }>) => void;
  /** The model does not have the context that was asked for. */
  onContextRefused: () => void;
  onGivenUp: (why: 'no_capacity' | 'internal_error') => void;
}

/**
 * Keeps a stream on a worker. Audio goes to it as it comes; what it has not answered is held, and when the worker is
 * lost, hangs or wants to go, another one hears it again from the start of the oldest unanswered utterance.
 */
export class Recognition {
  context: ContextSize;
  readonly #parts: StreamParts;
  readonly #session: StreamSession;
  readonly #utterances: Utterances;
  readonly #events: RecognitionEvents;
  readonly #avoided: Avoided;
  #link: WorkerLink | undefined;
  /** The worker that has, or last had, the stream. */
  #worker = '';
  #revision = '';
  readonly #deltaClock = new DeltaClock();
  #opened = false;
  /** A worker has opened the stream before. */
  #begun = false;
  /** When a stream without a worker is given up; workers that do not open it do not prolong that. */
  #withoutWorkerUntilMs: number | undefined;
  #chunkSamples = 1;
  /** Runs while a little audio waits for more. */
  #gathering: NodeJS.Timeout | undefined;
  /** Grows with each search for a worker; a search that another one overtook is given up. */
  #search = 0;
  #epoch = 0;
  #over = false;

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
    this.#seek();
  }

  /** The current utterance has more audio than before. */
  heard(): void {
    if (!this.#opened) return;
    const { current, outstanding } = this.#utterances;
    this.#deltaClock.heard(current.samples, outstanding, this.#chunkSamples, performance.now());
    const urgency = urgencyOf(current, this.#chunkSamples);
    if (urgency === 'now') this.#send(current);
    else if (urgency === 'soon') {
      this.#gathering ??= setTimeout(() => this.#send(this.#utterances.current), this.#parts.times.gatherMs);
    }
  }

  /** The current utterance is about to end. */
  end(ending: 'flush' | 'reset'): void {
    if (!this.#opened) return;
    this.#deltaClock.reset();
    this.#stopGathering();
    if (ending === 'flush') this.#send(this.#utterances.current);
    this.#link?.send({ type: ending });
  }

  /** Listens with another context from now on; nothing may be outstanding. */
  reopen(context: ContextSize): void {
    this.context = context;
    this.#drop();
    this.#seek();
  }

  stop(): void {
    this.#over = true;
    this.#parts.ticker.remove(this.#checkProgress);
    this.#drop();
  }

  /** Lets go of the worker; `failure`: because of it. */
  #drop(failure?: string): void {
    if (this.#link !== undefined) {
      this.#parts.tallies.left(this.#session.model, this.#revision, failure !== undefined);
      this.#session.watch.left(failure);
    }
    this.#opened = false;
    this.#deltaClock.reset();
    this.#stopGathering();
    this.#link?.close();
    this.#link = undefined;
  }

  #seek(): void {
    this.#connect().catch((err: unknown) => {
      // Redis answered that it will not: asking again would not help this stream, and must not harm the others.
      this.#parts.logger.error({ err, session_id: this.#session.sessionId }, 'a stream could not be placed');
      if (!this.#over) this.#events.onGivenUp('internal_error');
    });
  }

  async #connect(): Promise<void> {
    const search = ++this.#search;
    const givenUp = () => this.#over || search !== this.#search;
    const { onWait } = this.#events;
    const { watch } = this.#session;
    watch.seeking();
    const avoid = () => this.#avoided.list(performance.now(), this.#begun);
    const untilMs = (this.#withoutWorkerUntilMs ??= performance.now() + this.#session.maxWaitMs);
    const worker = await findWorker(this.#parts, this.#session, { untilMs, avoid, onWait, givenUp });
    if (givenUp()) return;
    const traceparent = watch.placed(worker);
    if (worker === undefined) {
      this.#events.onGivenUp('no_capacity');
      return;
    }
    this.#events.onPlaced();
    this.#worker = worker.id;
    this.#revision = worker.revision;
    const { tickets, times, workerTrust } = this.#parts;
    const ticket = { session: this.#session.sessionId, worker: worker.id, epoch: ++this.#epoch };
    this.#link = new WorkerLink({
      address: worker.address,
      tls: worker.address.startsWith('wss:') ? workerTrust.options() : {},
      ticket: signTicket(tickets, { ...ticket, expMs: Date.now() + times.ticketMs }),
      context: this.context,
      traceparent,
      replayedSamples: this.#utterances.held,
      openTimeoutMs: times.workerOpenMs,
      onMessage: (message) => this.#receive(message),
      onLost: (reason) => this.#move(reason),
    });
  }

  #receive(message: RelayAnswer): void {
    switch (message.type) {
      case 'opened':
        this.#opened = true;
        this.#begun = true;
        this.#withoutWorkerUntilMs = undefined;
        this.#chunkSamples = message.chunk_samples;
        this.#replay();
        this.#events.onOpened(message.context, message.chunk_samples);
        return;
      case 'delta':
        this.#time(message.audio_end);
        this.#events.onAnswer(message);
        return;
      case 'final':
      case 'reset_done':
      case 'consumed':
        this.#events.onAnswer(message);
        return;
      case 'move':
        this.#move(undefined);
        return;
      case 'error':
        if (message.code === 'context_unsupported') this.#events.onContextRefused();
        else this.#move(message.code);
        return;
      case 'alive':
        return;
    }
  }

  /** Of utterances that wait behind an unanswered one nothing is said: their deltas come late by no fault of the worker. */
  #time(audioEnd: number): void {
    if (this.#utterances.owed) return;
    const latencyMs = this.#deltaClock.told(audioEnd, performance.now());
    if (latencyMs === undefined) return;
    this.#parts.tallies.delta(this.#session.model, this.#revision, latencyMs);
    this.#session.watch.delta(latencyMs);
  }

  /** Sends what the worker has not got of an utterance. */
  #send(utterance: Utterance): void {
    this.#stopGathering();
    for (const pcm of utterance.audio.from(utterance.sent)) this.#link?.audio(pcm);
    utterance.sent = utterance.samples;
  }

  #stopGathering(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }

  /** Says to a new worker all that the old one has not answered. */
  #replay(): void {
    this.#utterances.forgetProgress();
    for (const utterance of this.#utterances.all) {
      this.#send(utterance);
      if (utterance.ending !== undefined) this.#link?.send({ type: utterance.ending });
    }
  }

  /** Takes the stream to another worker; `reason`: the worker failed, which an utterance survives only so often. */
  #move(reason: string | undefined): void {
    if (this.#over) return;
    const { head } = this.#utterances;
    const { sessionId: session_id, model } = this.#session;
    const fields = { session_id, model, worker: this.#worker, reason: reason ?? 'the worker drains' };
    this.#parts.logger.info(fields, 'a stream moves to another worker');
    this.#drop(reason);
    this.#session.watch.moved(this.#worker, reason);
    this.#avoided.add(this.#worker, performance.now());
    const heard = head.samples > 0 || head.ending !== undefined;
    if (reason !== undefined && heard && ++head.replays > MAX_REPLAYS) this.#events.onGivenUp('internal_error');
    else if (performance.now() >= (this.#withoutWorkerUntilMs ?? Infinity)) this.#events.onGivenUp('no_capacity');
    else this.#seek();
  }

  /** A worker that has something to do and says nothing is as good as dead. */
  readonly #checkProgress = (nowMs: number): void => {
    const link = this.#link;
    if (link === undefined || !this.#opened) return;
    if (!this.#utterances.busy) link.heardAtMs = nowMs;
    else if (nowMs - link.heardAtMs > this.#parts.times.workerSilenceMs) this.#move('it makes no progress');
  };
}
