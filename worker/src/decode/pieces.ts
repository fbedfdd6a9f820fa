import type { Candidate } from './candidates.ts';
import { confidenceOf } from './confidence.ts';
import type { PauseFinder } from './pauses.ts';

/** A word with its start and end in milliseconds from the start of the utterance. */
export interface Word {
  readonly text: string;
  readonly start_ms: number;
  readonly end_ms: number;
  /** Estimated probability that the word is right, from 0 to 1. */
  readonly confidence: number;
}

/** Marks the start of a word in SentencePiece vocabularies. */
const WORD_START = '\u2581';
const UNKNOWN = '<unk>';

/** Returns the text of a piece. A word start becomes a space, and an unknown piece becomes a visible mark. */
export function textOf(piece: string): string {
  return piece === UNKNOWN ? ' \u2047' : piece.replaceAll(WORD_START, ' ');
}

/** A decoded piece and the encoder frame that produced it. */
export interface DecodedPiece {
  readonly id: number;
  readonly frame: number;
  /**
   * Best classes of the frame, the best first. The first class is the piece itself. Empty if the stream has phrases.
   */
  readonly alternatives: readonly Candidate[];
}

/** Decoded pieces of an utterance, each with the encoder frame that produced it. */
export class Transcript {
  /** Number of candidates that are kept for each piece. */
  readonly alternatives: number;
  /** Finds pauses between the pieces. Undefined for streams without endpointing. */
  pauses: PauseFinder | undefined;
  readonly #pieces: readonly string[];
  readonly #ids: number[] = [];
  readonly #frames: number[] = [];
  readonly #logProbs: number[] = [];
  readonly #candidates: (readonly Candidate[])[] = [];
  #text = '';
  /** Length of the text up to and including each piece. */
  readonly #textEnds: number[] = [];
  /** Index of the first piece with text. */
  #firstSpoken: number | undefined;

  constructor(pieces: readonly string[], alternatives = 0) {
    this.#pieces = pieces;
    this.alternatives = alternatives;
  }

  /** Text of all pieces so far. */
  get text(): string {
    return this.#text.trim();
  }

  /** Frame of the first piece with text. Undefined if there is none. */
  get speechFrame(): number | undefined {
    return this.#firstSpoken === undefined ? undefined : this.#frames[this.#firstSpoken];
  }

  /** Ids of the pieces decoded so far. */
  get ids(): readonly number[] {
    return this.#ids;
  }

  /** Adds a piece with its log-probability, and records its frame. `candidatesOf` is called if candidates are kept. */
  add(
    id: number,
    frame: number,
    logProb: number,
    candidatesOf: (count: number) => readonly Candidate[] = () => [],
  ): void {
    this.append(id, frame, logProb, candidatesOf);
    this.extend(frame);
  }

  /** Adds a piece whose frame was already recorded by `recordSpeech`. */
  append(
    id: number,
    frame: number,
    logProb: number,
    candidatesOf: (count: number) => readonly Candidate[] = () => [],
  ): void {
    this.#ids.push(id);
    this.#frames.push(frame);
    this.#logProbs.push(logProb);
    if (this.alternatives > 0) this.#candidates.push(candidatesOf(this.alternatives));
    const text = textOf(this.#pieces[id] ?? UNKNOWN);
    this.#text += text;
    this.#textEnds.push(this.#text.length);
    if (text.trim() !== '') this.#firstSpoken ??= this.#ids.length - 1;
  }

  /** Records a frame whose best class is again the class of the last piece. */
  extend(frame: number): void {
    this.recordSpeech(frame, this.#firstSpoken !== undefined);
  }

  /**
   * Records a frame that is not blank. `hasWord` is true if the utterance contains a word up to this frame. Record
   * frames in order.
   */
  recordSpeech(frame: number, hasWord: boolean): void {
    this.pauses?.record(frame, hasWord);
  }

  /** Removes all pieces after the first `count`. The frames that `pauses` has recorded remain. */
  truncate(count: number): void {
    if (count >= this.#ids.length) return;
    this.#ids.length = this.#frames.length = this.#logProbs.length = this.#textEnds.length = count;
    this.#candidates.length = Math.min(this.#candidates.length, count);
    this.#text = this.#text.slice(0, this.#textEnds.at(-1) ?? 0);
    if (this.#firstSpoken !== undefined && this.#firstSpoken >= count) this.#firstSpoken = undefined;
  }

  /** Returns a function that removes all pieces that are added after this call. */
  save(): () => void {
    const count = this.#ids.length;
    return () => {
      this.truncate(count);
    };
  }

  /** Returns the pieces with their candidates. Undefined if no candidates are kept. */
  get decoded(): DecodedPiece[] | undefined {
    if (this.alternatives === 0) return undefined;
    return this.#ids.map((id, i) => ({
      id,
      frame: this.#frames[i] ?? 0,
      alternatives: this.#candidates[i] ?? [],
    }));
  }

  /** Returns the words with their times and confidences. All times lie within the audio. */
  words(frameMs: number, audioMs: number): Word[] {
    const words: { text: string; first: number; last: number; logProb: number }[] = [];
    let open: (typeof words)[number] | undefined;
    this.#ids.forEach((id, i) => {
      const [frame, logProb] = [this.#frames[i] ?? 0, this.#logProbs[i] ?? NaN];
      const [head = '', ...more] = textOf(this.#pieces[id] ?? UNKNOWN).split(' ');
      if (head !== '') {
        if (open === undefined) words.push((open = { text: head, first: frame, last: frame, logProb }));
        else Object.assign(open, { text: open.text + head, last: frame, logProb: open.logProb + logProb });
      }
      for (const text of more) {
        open = undefined;
        if (text !== '') words.push((open = { text, first: frame, last: frame, logProb }));
      }
    });
    // The last frame can start after the end of the audio. A word in this frame still gets the length of one frame.
    const latest = Math.max(0, audioMs - frameMs);
    return words.map(({ text, first, last, logProb }) => ({
      text,
      start_ms: Math.min(first * frameMs, latest),
      end_ms: Math.min((last + 1) * frameMs, audioMs),
      confidence: confidenceOf(logProb),
    }));
  }
}
