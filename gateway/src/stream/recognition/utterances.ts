import { AUDIO } from '@svc-asr/core';
import { HeldAudio } from './held-audio.ts';

/** One utterance as the gateway holds it until the worker has answered it: what a replay needs. */
export interface Utterance {
  readonly number: number;
  /** Where it starts in the accepted audio of the stream. */
  readonly startSample: number;
  samples: number;
  audio: HeldAudio;
  /** Samples that the present worker was sent. */
  sent: number;
  /** What ended it; the worker's answer (a final, a reset_done) is still to come. */
  ending: 'flush' | 'reset' | undefined;
  /** When it was flushed; undefined also where the sender was ahead, so that its `final` is late by no fault of ours. */
  flushedAtMs: number | undefined;
  /** How far the text that was sent to the client reaches, in samples of the utterance; 0: none was sent. */
  toldSamples: number;
  /** Samples that the worker says it has taken. */
  consumed: number;
  replays: number;
}

/** The utterances of a stream that are not answered yet: at least the one that audio goes to now. */
export class Utterances {
  readonly #open: Utterance[];
  #accepted = 0;

  constructor() {
    this.#open = [this.#begin(1)];
  }

  /** The oldest one: what the worker speaks of. */
  get head(): Utterance {
    return this.#open[0] ?? this.current;
  }

  /** The one that audio goes to. */
  get current(): Utterance {
    const last = this.#open.at(-1);
    if (last === undefined) throw new Error('a stream always has an utterance');
    return last;
  }

  get all(): readonly Utterance[] {
    return this.#open;
  }

  /** Samples accepted since the start of the stream. */
  get acceptedSamples(): number {
    return this.#accepted;
  }

  /** Samples that are kept for a replay. */
  get held(): number {
    return this.#open.reduce((sum, { audio }) => sum + audio.samples, 0);
  }

  /** Samples that the worker has not taken yet, sent or not. */
  get outstanding(): number {
    let outstanding = 0;
    for (const { samples, consumed } of this.#open) outstanding += Math.max(0, samples - consumed);
    return outstanding;
  }

  /** True while the worker owes an answer. */
  get owed(): boolean {
    return this.head.ending !== undefined;
  }

  /** True while the worker has something to do. */
  get busy(): boolean {
    return this.owed || this.#open.some(({ sent, consumed }) => sent > consumed);
  }

  append(pcm: Buffer): void {
    const { current } = this;
    const samples = pcm.length / AUDIO.bytesPerSample;
    current.audio.append(pcm);
    current.samples += samples;
    this.#accepted += samples;
  }

  /** Ends the current utterance; the next begins. */
  end(ending: 'flush' | 'reset'): void {
    const { current } = this;
    current.ending = ending;
    if (ending === 'reset') {
      // Nobody will hear of it again: a replay need not carry it.
      current.audio = new HeldAudio();
      current.consumed = current.samples;
    }
    this.#open.push(this.#begin(current.number + 1));
  }

  /** The worker has answered the oldest utterance. */
  answered(): Utterance {
    const { head } = this;
    this.#open.shift();
    return head;
  }

  /** Nothing has reached the new worker yet. */
  forgetProgress(): void {
    for (const utterance of this.#open) {
      if (utterance.ending !== 'reset') utterance.consumed = utterance.sent = 0;
    }
  }

  #begin(number: number): Utterance {
    const fresh = {
      samples: 0,
      sent: 0,
      ending: undefined,
      flushedAtMs: undefined,
      toldSamples: 0,
      consumed: 0,
      replays: 0,
    };
    return { number, startSample: this.#accepted, audio: new HeldAudio(), ...fresh };
  }
}
