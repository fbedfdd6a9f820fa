import type { StreamAnswer } from './recognition-events.ts';
import type { Utterance } from './utterance.ts';

/** End of an answered utterance: the position of its final, or `reset`. */
type AnsweredEnd = { readonly samples: number; readonly isCut: boolean } | 'reset';

/** Reason why a stream leaves a worker that ends utterances at other positions than the previous worker. */
export const DIVIDED_DIFFERENTLY = 'the worker divides the audio into other utterances';

/**
 * Utterances that a worker still has to answer although the client already has their answers. All workers of a model
 * cut the same audio at the same samples. If a worker cut at another sample, its later answers would be about other
 * audio than the gateway assumes.
 *
 * Cuts before a reset may differ. A worker that receives a reset drops the audio that it has not recognized yet, and
 * this amount differs between workers. A replay after the reset does not contain the audio of the utterance that was
 * reset.
 */
export class Repetition {
  readonly #ends: AnsweredEnd[] = [];

  /** True if no further utterance must be repeated. */
  get isOver(): boolean {
    return this.#ends.length === 0;
  }

  /** Number of utterances that must still be repeated. */
  get length(): number {
    return this.#ends.length;
  }

  /** Adds an answer that the worker still has to send, but that the client does not need. */
  add(answer: Extract<StreamAnswer, { type: 'final' | 'reset_done' }>): void {
    const isCut = answer.type === 'final' && answer.endpoint === true;
    this.#ends.push(answer.type === 'final' ? { samples: answer.audio_end, isCut } : 'reset');
  }

  /**
   * Checks an answer. If no further utterance must be repeated, the answer is about `head`. Returns `different` if the
   * answer divides the audio in another way than the answers that the client has received.
   */
  check(answer: StreamAnswer, head: Pick<Utterance, 'mayEndWith' | 'ending'>): 'new' | 'repeated' | 'different' {
    const [end] = this.#ends;
    if (end === undefined) return head.mayEndWith(answer) ? 'new' : 'different';
    if (answer.type === 'reset_done') return this.#checkReset(head.ending);
    if (end === 'reset') return answer.type === 'final' && answer.endpoint !== true ? 'different' : 'repeated';
    return this.#agrees(answer, end.samples) ? 'repeated' : 'different';
  }

  /**
   * Checks a `reset_done`, which also answers all cuts before it. If no repeated utterance is left, the answer is about
   * `head`, whose ending is `ending`.
   */
  #checkReset(ending: Utterance['ending']): 'new' | 'repeated' | 'different' {
    let end = this.#ends.shift();
    while (end !== undefined && end !== 'reset' && end.isCut) end = this.#ends.shift();
    if (end === undefined) return ending === 'reset' ? 'new' : 'different';
    return end === 'reset' ? 'repeated' : 'different';
  }

  #agrees(answer: Exclude<StreamAnswer, { type: 'reset_done' }>, end: number): boolean {
    switch (answer.type) {
      case 'final':
        this.#ends.shift();
        return answer.audio_end === end;
      case 'delta':
        return answer.audio_end <= end;
      case 'consumed':
        return answer.samples <= end;
    }
  }
}
