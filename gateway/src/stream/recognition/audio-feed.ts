import { isUsable } from './gather.ts';
import type { ChunkSize } from './gather.ts';
import type { Handover } from './handover.ts';
import { startReplay } from './open-link.ts';
import { Repetition } from './repetition.ts';
import type { Utterance } from './utterance.ts';
import type { Utterances } from './utterances.ts';
import type { WorkerLink } from './worker-link.ts';

/** Receivers of the audio of a stream. */
export interface FeedTargets {
  readonly link: WorkerLink | undefined;
  /** Set while the stream moves from its current worker to another one. */
  readonly handover: Handover | undefined;
}

/** Sends the audio of a stream to its worker, and during a handover also to its next worker. */
export class AudioFeed {
  readonly #utterances: Utterances;
  readonly #targets: () => FeedTargets;

  constructor(utterances: Utterances, targets: () => FeedTargets) {
    this.#utterances = utterances;
    this.#targets = targets;
  }

  /**
   * Sends the unsent audio of the current utterance if the worker can use this audio. Otherwise the audio is sent
   * later, together with further audio.
   */
  forward(size: ChunkSize): void {
    if (isUsable(this.#utterances.current, size)) this.#sendCurrent();
  }

  /** Ends the current utterance. For a reset, the unsent audio is not sent, because it is no longer needed. */
  end(ending: 'flush' | 'reset'): void {
    if (ending === 'flush') this.#sendCurrent();
    const { link, handover } = this.#targets();
    link?.mark(ending);
    handover?.mark(ending);
  }

  /**
   * Sends all unanswered utterances to the new worker. Returns the utterances that this worker will answer although the
   * client already has their answers.
   */
  replay(): Repetition {
    const { link } = this.#targets();
    const repetition = link === undefined ? new Repetition() : startReplay(link, this.#utterances);
    this.#utterances.forgetProgress();
    for (const utterance of this.#utterances.all) {
      this.#send(utterance);
      if (utterance.ending !== undefined) link?.mark(utterance.ending);
    }
    return repetition;
  }

  #sendCurrent(): void {
    const { current } = this.#utterances;
    this.#send(current);
    this.#targets().handover?.forward(current);
  }

  /** Sends the part of an utterance that was not yet sent to the current worker. */
  #send(utterance: Utterance): void {
    for (const pcm of utterance.takeUnsent()) this.#targets().link?.audio(pcm);
  }
}
