import type { RelayAnswer } from '@svc-asr/core';
import type { PlacedWorker } from '@svc-asr/ledger';
import { findMissingPart } from '../configuration.ts';
import type { Configuration } from '../configuration.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import type { Avoided } from './avoided.ts';
import { MISSING_PARTS, openLink, startReplay } from './open-link.ts';
import { findWorker } from './placement.ts';
import type { StreamAnswer } from './recognition-events.ts';
import { DIVIDED_DIFFERENTLY, Repetition } from './repetition.ts';
import { hasChunkOf, MAX_WORKER_FAILURES } from './utterance.ts';
import type { Utterance } from './utterance.ts';
import type { Utterances, WorkerProgress } from './utterances.ts';
import type { WorkerLink } from './worker-link.ts';

/** Interval of the checks whether an utterance on which workers failed has been answered. */
const SUSPECT_CHECK_MS = 1000;

type Opened = Extract<RelayAnswer, { type: 'opened' }>;

export interface HandoverOptions {
  readonly configuration: Configuration;
  /** Id of the worker that the stream leaves. */
  readonly worker: string;
  /** Workers that the stream has lost and avoids. */
  readonly avoided: Avoided;
  readonly nextEpoch: () => number;
  /**
   * Called when the successor has answered at least as much audio as the current worker. The callback must call
   * `Handover.take`.
   */
  readonly onReady: () => void;
}

/** Worker to which a stream is about to move. */
export interface Successor {
  readonly worker: PlacedWorker;
  readonly link: WorkerLink;
  /**
   * Answer with which the worker opened the stream. Undefined until the worker has opened it. Before that, no audio is
   * sent to the worker.
   */
  opened: Opened | undefined;
}

/**
 * Prepares the move of a stream while its current worker still serves it. The current worker drains or has too many
 * streams. The handover searches for a successor, replays the unanswered audio there and forwards new audio to it.
 * Answers of the successor are dropped until it has caught up with the current worker.
 */
export class Handover {
  readonly #parts: StreamParts;
  readonly #session: StreamSession;
  readonly #utterances: Utterances;
  readonly #options: HandoverOptions;
  #successor: Successor | undefined;
  /** Utterances that the current worker has answered and the successor has not answered yet. */
  #repetition = new Repetition();
  /** Number of samples that the successor has consumed of the utterance that it is answering. */
  #consumed = 0;
  /** Number of samples of the current utterance that were sent to the successor. */
  #sent = 0;
  /** Time of the last answer of the successor, or the last time at which the successor owed no answer. */
  #progressAtMs = 0;
  /**
   * Number of an utterance on which too many workers have failed. No further worker gets a replay until this utterance
   * is answered.
   */
  #suspect = 0;
  #over = false;

  constructor(parts: StreamParts, session: StreamSession, utterances: Utterances, options: HandoverOptions) {
    this.#parts = parts;
    this.#session = session;
    this.#utterances = utterances;
    this.#options = options;
    this.#search();
  }

  /**
   * Sends new audio of the current utterance to the successor too. Call it after the audio was sent to the current
   * worker.
   */
  forward(current: Utterance): void {
    if (this.#successor?.opened === undefined) return;
    for (const pcm of current.audioFrom(this.#sent)) this.#successor.link.audio(pcm);
    this.#sent = current.samples;
  }

  /**
   * Sends the end of the current utterance to the successor too. Call it after the end was sent to the current worker.
   */
  mark(ending: 'flush' | 'reset'): void {
    if (this.#successor?.opened === undefined) return;
    this.#successor.link.mark(ending);
    this.#sent = 0;
  }

  /** Call when the current worker has answered the oldest utterance, before the utterance is removed. */
  recordAnswer(answer: Extract<StreamAnswer, { type: 'final' | 'reset_done' }>): void {
    if (this.#successor?.opened === undefined) return;
    this.#repetition.add(answer);
    const { head, current } = this.#utterances;
    if (answer.type === 'final' && answer.endpoint === true && head === current) this.#sent -= answer.audio_end;
  }

  /** Ends the handover and returns the successor with its progress. Undefined if there is no successor. */
  take(): (Successor & { progress: WorkerProgress; repetition: Repetition }) | undefined {
    this.#over = true;
    const [repetition, { head }] = [this.#repetition, this.#utterances];
    const progress = { utterance: head.number - repetition.length, consumed: this.#consumed, sent: this.#sent };
    return this.#successor && { ...this.#successor, progress, repetition };
  }

  /** Ends the handover and closes the stream at the successor. */
  stop(): void {
    this.#over = true;
    if (this.#successor === undefined) return;
    this.#successor.link.close();
    this.#session.watch.abandonMove();
  }

  /** Leaves the successor if it hangs, and searches for another one. */
  checkProgress(nowMs: number): void {
    const successor = this.#successor;
    if (successor?.opened === undefined) return;
    const { workerSilenceMs, workerAnswerMs } = this.#parts.times;
    if (nowMs - successor.link.silentSinceMs > workerSilenceMs) this.#drop('the worker makes no progress');
    else if (!this.#owesAnswer(successor.opened)) this.#progressAtMs = nowMs;
    else if (nowMs - this.#progressAtMs > workerAnswerMs) this.#drop('the worker does not answer');
  }

  #owesAnswer({ chunk_samples }: Opened): boolean {
    const { head } = this.#utterances;
    if (!this.#repetition.isOver || head.ending !== undefined) return true;
    return hasChunkOf(this.#sent - this.#consumed, chunk_samples);
  }

  #search(): void {
    this.#findSuccessor().catch((err: unknown) => {
      const fields = { err, session_id: this.#session.sessionId };
      this.#parts.logger.error(fields, 'stream could not be placed on another worker; it stays on its worker');
    });
  }

  async #findSuccessor(): Promise<void> {
    const [parts, session, utterances] = [this.#parts, this.#session, this.#utterances];
    const { configuration, worker: servedBy, avoided, nextEpoch } = this.#options;
    while (!this.#over && utterances.head.number === this.#suspect) {
      await new Promise((resolve) => setTimeout(resolve, SUSPECT_CHECK_MS));
    }
    const searchStartedAtMs = performance.now();
    const worker = await findWorker(parts, session, {
      untilMs: Infinity,
      avoid: () => [servedBy, ...avoided.list(performance.now(), false)],
      onWait: () => undefined,
      isAbandoned: () => this.#over,
      servedBy,
    });
    if (worker === undefined || this.#over) return;
    const traceparent = session.watch.prepareMove(worker, searchStartedAtMs);
    const request = { configuration, utterances, traceparent, epoch: nextEpoch() };
    const link = openLink(parts, session, worker, request, {
      onMessage: (message) => this.#receive(message),
      onLost: (reason) => this.#drop(reason),
      onWrongWorker: (reason) => this.#drop(reason, true),
    });
    if ('refusal' in link) {
      avoided.add(worker.id, performance.now());
      session.watch.abandonMove(link.refusal);
      this.#search();
      return;
    }
    this.#successor = { worker, link, opened: undefined };
  }

  #receive(message: RelayAnswer): void {
    const successor = this.#successor;
    if (successor === undefined || this.#over) return;
    this.#progressAtMs = performance.now();
    switch (message.type) {
      case 'opened':
        this.#receiveOpened(successor, message);
        return;
      case 'move':
        this.#drop(undefined);
        return;
      case 'error':
        this.#drop(message.code);
        return;
      case 'consumed':
      case 'delta':
      case 'final':
      case 'reset_done':
        this.#receiveAnswer(message, successor.link);
    }
  }

  #receiveOpened(successor: Successor, opened: Opened): void {
    const missing = findMissingPart(this.#options.configuration, opened);
    if (missing !== undefined) {
      this.#drop(MISSING_PARTS[missing], true);
      return;
    }
    successor.opened = opened;
    this.#replay(successor.link);
    if (this.#hasCaughtUp(0)) this.#options.onReady();
  }

  #receiveAnswer(message: StreamAnswer, link: WorkerLink): void {
    const kind = this.#repetition.check(message, this.#utterances.head);
    if (kind === 'different') {
      this.#drop(DIVIDED_DIFFERENTLY);
      return;
    }
    const isEnd = message.type === 'final' || message.type === 'reset_done';
    const position = isEnd ? Infinity : message.type === 'consumed' ? message.samples : message.audio_end;
    if (kind === 'new' && this.#hasCaughtUp(position)) {
      // The successor has caught up. This answer is new to the client, or it is the last one that the client has
      // received.
      this.#options.onReady();
      link.events.onMessage(message);
    } else if (isEnd) {
      this.#consumed = 0;
      if (this.#hasCaughtUp(0)) this.#options.onReady();
    } else if (message.type === 'consumed') this.#consumed = position;
  }

  /**
   * Returns whether a successor that has answered up to this position has caught up. The current worker must have
   * answered nothing after this position.
   */
  #hasCaughtUp(position: number): boolean {
    const { head } = this.#utterances;
    return this.#repetition.isOver && position >= Math.max(head.consumed, head.deliveredSamples);
  }

  #replay(link: WorkerLink): void {
    this.#repetition = startReplay(link, this.#utterances);
    this.#consumed = this.#sent = 0;
    for (const utterance of this.#utterances.all) {
      this.forward(utterance);
      if (utterance.ending === undefined) continue;
      link.mark(utterance.ending);
      this.#sent = 0;
    }
  }

  /**
   * Leaves the successor and searches for another one. `failure` is undefined if the successor itself asks to move the
   * stream.
   */
  #drop(failure: string | undefined, isWrongWorker = false): void {
    const [parts, session, { head }] = [this.#parts, this.#session, this.#utterances];
    const successor = this.#successor;
    if (successor === undefined || this.#over) return;
    const { worker, link } = successor;
    this.#successor = undefined;
    link.close();
    session.watch.abandonMove(failure);
    this.#options.avoided.add(worker.id, performance.now());
    const { sessionId: session_id, model } = session;
    const fields = { session_id, model, worker: worker.id, reason: failure ?? 'the worker asked for a move' };
    parts.logger.info(fields, 'a stream stays on its worker, because it could not move to another one');
    if (failure !== undefined && !isWrongWorker) {
      parts.tallies.countStream(model, worker.revision, true);
      if (head.countWorkerFailure() > MAX_WORKER_FAILURES) this.#suspect = head.number;
    }
    this.#search();
  }
}
