import { argmax } from './argmax.ts';
import type { Transcript } from './pieces.ts';

/** A frame that never gives a blank must end; NeMo's greedy search stops at the same number. */
const MAX_SYMBOLS = 10;

/** What one stream brings to a step of the search. */
export interface Hypothesis {
  /** Last piece, the blank at the start. */
  token: number;
  /** Predictor state before that piece was fed, one array per state tensor. */
  states: readonly Float32Array[];
  /** The predictor's answer to `token`, where the graph gives it apart from the joint; undefined when `token` is new. */
  prediction?: { output: Float32Array; states: readonly Float32Array[] } | undefined;
}

/** One evaluation of predictor and joint for several streams at once. */
export interface Joint {
  /** Zero states for a new stream. */
  initialStates(): readonly Float32Array[];
  /**
   * Scores of all classes for each hypothesis against its encoder frame, back to back, and the states after each
   * hypothesis's token.
   */
  step(
    hypotheses: readonly Hypothesis[],
    frames: readonly Float32Array[],
  ): Promise<{ logits: Float32Array; states: readonly (readonly Float32Array[])[] }>;
}

/** Greedy transducer search of one stream; it survives chunks. */
export class GreedyRnnt {
  readonly hypothesis: Hypothesis;
  readonly transcript: Transcript;
  /** Encoder frames of earlier chunks. */
  frameBase = 0;

  constructor(blank: number, joint: Joint, transcript: Transcript) {
    this.hypothesis = { token: blank, states: joint.initialStates() };
    this.transcript = transcript;
  }
}

/** A stream's encoder frames of the present chunk. */
export interface EncodedChunk {
  readonly search: GreedyRnnt;
  readonly frames: readonly Float32Array[];
}

/**
 * Decodes the chunks of several streams together: each step evaluates the joint once for all that have frames left,
 * each at its own frame. Blank, or too many symbols, moves a stream to its next frame; a piece moves its predictor on.
 */
export async function decodeRnnt(joint: Joint, blank: number, chunks: readonly EncodedChunk[]): Promise<void> {
  const classes = blank + 1;
  let active = chunks.map((chunk) => ({ ...chunk, at: 0, symbols: 0 })).filter(({ frames }) => frames.length > 0);
  while (active.length > 0) {
    const { logits, states } = await joint.step(
      active.map(({ search }) => search.hypothesis),
      active.flatMap(({ frames, at }) => frames[at] ?? []),
    );
    active.forEach((chunk, i) => {
      const best = argmax(logits, i * classes, classes);
      if (best !== blank) {
        chunk.search.transcript.add(best, chunk.search.frameBase + chunk.at);
        Object.assign(chunk.search.hypothesis, { token: best, states: states[i], prediction: undefined });
        chunk.symbols++;
      }
      if (best === blank || chunk.symbols >= MAX_SYMBOLS) {
        chunk.at++;
        chunk.symbols = 0;
      }
    });
    active = active.filter(({ frames, at }) => at < frames.length);
  }
  for (const { search, frames } of chunks) search.frameBase += frames.length;
}
