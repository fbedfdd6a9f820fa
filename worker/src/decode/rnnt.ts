import { argmax } from './argmax.ts';
import { bestCandidates, bestLogProb } from './candidates.ts';
import type { Transcript } from './pieces.ts';

/**
 * Maximum number of pieces per frame. It limits frames that never produce a blank. NeMo's greedy search has the same
 * limit.
 */
const MAX_SYMBOLS = 10;

/** Input of one stream to a search step. */
export interface Hypothesis {
  /** Last piece of the utterance. Before the first piece, it is the blank. */
  token: number;
  /** Predictor state before the predictor processes `token`, with one array for each state tensor. */
  states: readonly Float32Array[];
  /**
   * Predictor output for `token`, if the model has a separate predictor graph. Undefined until the output is computed
   * for this token.
   */
  prediction?: { output: Float32Array; states: readonly Float32Array[] } | undefined;
}

/** Evaluates predictor and joint for several streams at once. */
export interface Joint {
  /** Returns the zero states of a new stream. */
  initialStates(): readonly Float32Array[];
  /**
   * Runs one step. `logits` contains the scores of all classes for each pair of hypothesis and encoder frame, one pair
   * after the other. `states` contains the predictor states after the token of each hypothesis.
   */
  step(
    hypotheses: readonly Hypothesis[],
    frames: readonly Float32Array[],
  ): Promise<{ logits: Float32Array; states: readonly (readonly Float32Array[])[] }>;
}

/** Greedy transducer search of one stream. Its state continues across chunks. */
export class GreedyRnnt {
  readonly hypothesis: Hypothesis;
  readonly transcript: Transcript;
  /** Number of encoder frames in earlier chunks. */
  frameBase = 0;

  constructor(blank: number, joint: Joint, transcript: Transcript) {
    this.hypothesis = { token: blank, states: joint.initialStates() };
    this.transcript = transcript;
  }

  /**
   * Returns a function that restores the present state of the search. That function does not restore the transcript,
   * because `saveSearch` in engine/search.ts, which calls this method, saves the transcript separately.
   */
  save(): () => void {
    const [{ token, states, prediction }, frameBase] = [this.hypothesis, this.frameBase];
    return () => {
      Object.assign(this.hypothesis, { token, states, prediction });
      this.frameBase = frameBase;
    };
  }
}

/** Encoder frames of one stream in the current chunk. */
export interface EncodedChunk {
  readonly search: GreedyRnnt;
  readonly frames: readonly Float32Array[];
  /** If the search finds fewer pieces than this, it runs additional steps and ignores their results. 0 by default. */
  readonly leastPieces?: number | undefined;
}

/**
 * Decodes the chunks of several streams together. Each step runs the joint network once, with the current frame of
 * every stream that has frames left. If the result is a piece, the piece is added to the transcript and the stream
 * stays at its frame. If the result is blank, or the frame has produced the maximum number of pieces, the stream moves
 * to its next frame. If `leastPieces` requires steps after the last frame of a stream, their results are ignored.
 */
export async function decodeRnnt(joint: Joint, blank: number, chunks: readonly EncodedChunk[]): Promise<void> {
  const classes = blank + 1;
  let active = chunks.map((chunk) => ({ ...chunk, at: 0, symbols: 0, pieces: 0 }));
  active = active.filter(({ frames }) => frames.length > 0);
  while (active.length > 0) {
    const { logits, states } = await joint.step(
      // An additional step after the last frame should take as long as a step after a new piece, in which the predictor
      // runs. The predictor runs only for hypotheses without a `prediction`, so this field is left out.
      active.map(({ search: { hypothesis }, frames, at }) =>
        at < frames.length ? hypothesis : { token: hypothesis.token, states: hypothesis.states },
      ),
      active.flatMap(({ frames, at }) => frames[Math.min(at, frames.length - 1)] ?? []),
    );
    active.forEach((chunk, i) => {
      if (chunk.at >= chunk.frames.length) {
        chunk.pieces++;
        return;
      }
      const best = argmax(logits, i * classes, classes);
      if (best !== blank) {
        const logProb = bestLogProb(logits, i * classes, classes, best);
        chunk.search.transcript.add(best, chunk.search.frameBase + chunk.at, logProb, (count) =>
          bestCandidates(logits, i * classes, classes, count),
        );
        Object.assign(chunk.search.hypothesis, { token: best, states: states[i], prediction: undefined });
        chunk.symbols++;
        chunk.pieces++;
      }
      if (best === blank || chunk.symbols >= MAX_SYMBOLS) {
        chunk.at++;
        chunk.symbols = 0;
      }
    });
    active = active.filter(({ frames, at, pieces, leastPieces = 0 }) => at < frames.length || pieces < leastPieces);
  }
  for (const { search, frames } of chunks) search.frameBase += frames.length;
}
