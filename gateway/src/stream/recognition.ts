import type { ContextSize, RelayAnswer } from '@svc-asr/core';
import { signTicket } from '@svc-asr/runtime';
import { findWorker } from './placement.ts';
import { MAX_REPLAYS } from './session.ts';
import type { StreamParts, StreamSession } from './session.ts';
import type { Utterances } from './utterances.ts';
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

const WATCH_MS = 250;

/**
 * Keeps a stream on a worker. Audio goes to it as it comes; what it has not answered is held, and when the worker is
 * lost, hangs or wants to go, another one hears it again from the start of the oldest unanswered utterance.
 */
export class Recognition {
  context: ContextSize;
  private readonly parts: StreamParts;
  private readonly session: StreamSession;
  private readonly utterances: Utterances;
  private readonly events: RecognitionEvents;
  private readonly avoid: string[] = [];
  private readonly watch: NodeJS.Timeout;
  private link: WorkerLink | undefined;
  /** The worker that has, or last had, the stream. */
  private worker = '';
  private opened = false;
  private epoch = 0;
  private over = false;

  constructor(
    parts: StreamParts,
    session: StreamSession,
    utterances: Utterances,
    context: ContextSize,
    events: RecognitionEvents,
  ) {
    this.parts = parts;
    this.session = session;
    this.utterances = utterances;
    this.context = context;
    this.events = events;
    this.watch = setInterval(() => this.checkProgress(), WATCH_MS);
    void this.connect();
  }

  audio(pcm: Buffer): void {
    if (this.opened) this.link?.audio(pcm);
  }

  end(ending: 'flush' | 'reset'): void {
    if (this.opened) this.link?.send({ type: ending });
  }

  /** Listens with another context from now on; nothing may be outstanding. */
  reopen(context: ContextSize): void {
    this.context = context;
    this.drop();
    void this.connect();
  }

  stop(): void {
    this.over = true;
    clearInterval(this.watch);
    this.drop();
  }

  private drop(): void {
    this.opened = false;
    this.link?.close();
    this.link = undefined;
  }

  private async connect(): Promise<void> {
    const worker = await findWorker(this.parts, this.session, {
      avoid: this.avoid,
      onWait: this.events.onWait,
      givenUp: () => this.over,
    });
    if (this.over) return;
    if (worker === undefined) {
      this.events.onGivenUp('no_capacity');
      return;
    }
    this.events.onPlaced();
    this.worker = worker.id;
    const { tickets, times } = this.parts;
    const ticket = { session: this.session.sessionId, worker: worker.id, epoch: ++this.epoch };
    this.link = new WorkerLink({
      address: worker.address,
      ticket: signTicket(tickets, { ...ticket, expMs: Date.now() + times.ticketMs }),
      context: this.context,
      replayedSamples: this.utterances.held,
      openTimeoutMs: times.workerOpenMs,
      onMessage: (message) => this.receive(message),
      onLost: (reason) => this.move(reason),
    });
  }

  private receive(message: RelayAnswer): void {
    switch (message.type) {
      case 'opened':
        this.opened = true;
        this.replay();
        this.events.onOpened(message.context, message.chunk_samples);
        return;
      case 'delta':
      case 'final':
      case 'reset_done':
      case 'consumed':
        this.events.onAnswer(message);
        return;
      case 'move':
        this.move(undefined);
        return;
      case 'error':
        if (message.code === 'context_unsupported') this.events.onContextRefused();
        else this.move(message.code);
        return;
      case 'alive':
        return;
    }
  }

  /** Says to a new worker all that the old one has not answered. */
  private replay(): void {
    this.utterances.forgetProgress();
    for (const utterance of this.utterances.all) {
      for (const pcm of utterance.chunks) this.link?.audio(pcm);
      if (utterance.ending !== undefined) this.link?.send({ type: utterance.ending });
    }
  }

  /** Takes the stream to another worker; `reason`: the worker failed, which an utterance survives only so often. */
  private move(reason: string | undefined): void {
    if (this.over) return;
    const { head } = this.utterances;
    this.parts.logger.info(
      { session_id: this.session.sessionId, model: this.session.model, reason: reason ?? 'the worker drains' },
      'a stream moves to another worker',
    );
    this.drop();
    this.avoid.push(this.worker);
    const heard = head.samples > 0 || head.ending !== undefined;
    if (reason !== undefined && heard && ++head.replays > MAX_REPLAYS) this.events.onGivenUp('internal_error');
    else void this.connect();
  }

  /** A worker that owes something and says nothing is as good as dead. */
  private checkProgress(): void {
    const { link } = this;
    if (link === undefined || !this.opened) return;
    const owes = this.utterances.outstanding > 0 || this.utterances.owed;
    if (!owes) link.heardAtMs = performance.now();
    else if (performance.now() - link.heardAtMs > this.parts.times.workerSilenceMs) {
      this.move('it makes no progress');
    }
  }
}
