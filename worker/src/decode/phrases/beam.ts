import { MAX_ALTERNATIVES, selectTop } from '../candidates.ts';
import { textOf } from '../pieces.ts';
import type { Transcript } from '../pieces.ts';
import { foldText, keptScore } from './graph.ts';
import type { PhraseGraph, PhraseNode } from './graph.ts';

/** Maximum number of hypotheses after each frame. */
const BEAM = 8;
/** Lowest log-probability of a class that the search considers. The best class of a frame is always considered. */
const LEAST_LOG_PROB = -9;

/** The `count` best classes of each frame, with their log-probabilities. */
interface FrameClasses {
  readonly count: number;
  readonly ids: Int32Array;
  readonly scores: Float32Array;
}

/** A piece of a hypothesis, linked to the previous piece. Hypotheses with the same first pieces share these objects. */
interface Piece {
  readonly previous: Piece | undefined;
  /** Number of pieces before this one. */
  readonly index: number;
  readonly id: number;
  readonly frame: number;
  readonly logProb: number;
  /** Whether this piece or an earlier one has text. */
  readonly hasText: boolean;
}

/**
 * The best path through all decoded frames that ends with the class `last` at the position `node` of the phrase graph.
 */
interface Hypothesis {
  readonly node: PhraseNode;
  /** Class of the last frame. */
  readonly last: number;
  /** Log-probability of the path, plus the score of the phrases that ended before `node`. */
  readonly score: number;
  /** `score` plus the pending score of `node`. Hypotheses are sorted by `rank`. */
  readonly rank: number;
  readonly piece: Piece | undefined;
}

/**
 * CTC beam search that prefers the phrases of a stream. For each frame, it considers only the best classes. The score
 * of a hypothesis is the log-probability of its best path, plus the score of the phrases in its text. Two hypotheses
 * with the same last class and the same node of the phrase graph have the same continuations. Only the better one is
 * kept. Without phrases, the result equals the result of the greedy search.
 */
export class PhraseBeam {
  readonly #blank: number;
  readonly #graph: PhraseGraph;
  readonly #texts: readonly string[];
  readonly #transcript: Transcript;
  readonly #beam: number;
  #hypotheses: readonly Hypothesis[];
  /** Pieces that are in the transcript. */
  #published: Piece[] = [];
  #frame = 0;

  constructor(blank: number, pieces: readonly string[], graph: PhraseGraph, transcript: Transcript, beam = BEAM) {
    this.#blank = blank;
    this.#graph = graph;
    this.#texts = foldedTexts(pieces);
    this.#transcript = transcript;
    this.#beam = beam;
    this.#hypotheses = [{ node: graph.root, last: blank, score: 0, rank: 0, piece: undefined }];
  }

  /** Decodes `frames` rows of scores that start at index `from`. */
  decode(scores: Float32Array, from: number, frames: number): void {
    const classes = this.#blank + 1;
    const count = Math.min(MAX_ALTERNATIVES, classes);
    const [ids, logProbs] = [new Int32Array(count), new Float32Array(count)];
    for (let row = 0; row < frames; row++) {
      selectTop(scores, from + row * classes, classes, ids, logProbs);
      this.#advance(ids, logProbs, 0, count);
    }
    this.#publish();
  }

  /** Decodes `frames` frames from their best classes, starting with frame `from` of the arrays. */
  decodeTop({ ids, scores, count }: FrameClasses, from: number, frames: number): void {
    for (let frame = from; frame < from + frames; frame++) this.#advance(ids, scores, frame * count, count);
    this.#publish();
  }

  /** Returns a function that restores the present state of the search and the pieces of the transcript. */
  save(): () => void {
    const [hypotheses, frame] = [this.#hypotheses, this.#frame];
    return () => {
      this.#hypotheses = hypotheses;
      this.#frame = frame;
      this.#publish();
    };
  }

  /** Extends all hypotheses by one frame. The classes of the frame start at index `at`, the best class first. */
  #advance(ids: Int32Array, logProbs: Float32Array, at: number, count: number): void {
    const next: Hypothesis[] = [];
    for (let i = at; i < at + count; i++) {
      const logProb = logProbs[i] ?? NaN;
      if (i > at && !(logProb >= LEAST_LOG_PROB)) break;
      for (const hypothesis of this.#hypotheses) this.#extend(next, hypothesis, ids[i] ?? 0, logProb);
    }
    const frame = this.#frame++;
    // A frame without valid scores changes nothing.
    if (next.length === 0) return;
    this.#hypotheses = next;
    const best = next[0]?.piece;
    const isSpeech = ids[at] !== this.#blank || best?.frame === frame;
    if (isSpeech) this.#transcript.recordSpeech(frame, best?.hasText === true);
  }

  /**
   * Extends a hypothesis by one class. Inserts the result into the list `next`, which is sorted and has a limited
   * length.
   */
  #extend(
    next: Hypothesis[],
    { node: from, last, score: before, piece }: Hypothesis,
    id: number,
    logProb: number,
  ): void {
    const isNew = id !== this.#blank && id !== last;
    const { node, earned } = isNew ? this.#graph.step(from, this.#texts[id] ?? '') : { node: from, earned: 0 };
    const score = before + logProb + earned;
    const rank = score + node.pending;
    const worst = next.length < this.#beam ? -Infinity : (next.at(-1)?.rank ?? -Infinity);
    if (!(rank > worst)) return;
    const same = next.findIndex((other) => other.last === id && other.node === node);
    if (same >= 0) {
      if ((next[same]?.rank ?? 0) >= rank) return;
      next.splice(same, 1);
    } else if (next.length === this.#beam) next.pop();
    const position = next.findIndex((other) => other.rank < rank);
    const extended = { node, last: id, score, rank, piece: isNew ? this.#addPiece(piece, id, logProb) : piece };
    if (position < 0) next.push(extended);
    else next.splice(position, 0, extended);
  }

  #addPiece(previous: Piece | undefined, id: number, logProb: number): Piece {
    const hasText = previous?.hasText === true || (this.#texts[id] ?? '').trim() !== '';
    return {
      previous,
      index: previous === undefined ? 0 : previous.index + 1,
      id,
      frame: this.#frame,
      logProb,
      hasText,
    };
  }

  /** Writes the best hypothesis to the transcript. An incomplete phrase at the end of a hypothesis adds no score. */
  #publish(): void {
    let best: Hypothesis | undefined;
    let top = -Infinity;
    for (const hypothesis of this.#hypotheses) {
      const score = hypothesis.score + keptScore(hypothesis.node);
      if (score > top) [best, top] = [hypothesis, score];
    }
    const added: Piece[] = [];
    let piece = best?.piece;
    for (; piece !== undefined && this.#published[piece.index] !== piece; piece = piece.previous) added.push(piece);
    const kept = piece === undefined ? 0 : piece.index + 1;
    this.#transcript.truncate(kept);
    this.#published.length = kept;
    for (const one of added.reverse()) {
      this.#transcript.append(one.id, one.frame, one.logProb);
      this.#published.push(one);
    }
  }
}

const textsOf = new WeakMap<readonly string[], readonly string[]>();

/** Returns the folded texts of the pieces of a vocabulary. They are computed once for each vocabulary. */
function foldedTexts(pieces: readonly string[]): readonly string[] {
  const texts = textsOf.get(pieces) ?? pieces.map((piece) => foldText(textOf(piece)));
  textsOf.set(pieces, texts);
  return texts;
}
