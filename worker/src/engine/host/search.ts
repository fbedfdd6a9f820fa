import { GreedyCtc } from '../../decode/ctc.ts';
import { PhraseBeam } from '../../decode/phrases/beam.ts';
import { decodeRnnt, GreedyRnnt } from '../../decode/rnnt.ts';
import type { Encoder } from '../../model/encoder.ts';
import type { Model } from '../../model/load.ts';
import { rowsSize } from '../../model/scratch.ts';
import type { Search } from '../search.ts';

/** The search of a stream with the stream's place in the encoded batch. */
export interface Encoded {
  readonly search: Search;
  readonly place: number;
  /** Number of encoder frames that contain audio. */
  readonly frames: number;
  /**
   * If a transducer search finds fewer pieces than this, it runs additional steps and ignores their results. Only the
   * warm-up sets this number, because a search in noise finds few pieces.
   */
  readonly leastPieces?: number | undefined;
}

/** Advances the searches of a batch by the encoded frames of their windows. */
export async function searchBatch(
  { joint, vocabulary }: Model,
  { shape, scratch }: Encoder,
  batch: readonly Encoded[],
): Promise<void> {
  const size = rowsSize(shape);
  const chunks = [];
  for (const { search, place, frames, leastPieces } of batch) {
    const { state } = search;
    if (state instanceof GreedyCtc || state instanceof PhraseBeam) state.decode(scratch.rows, place * size, frames);
    else if (state instanceof GreedyRnnt)
      chunks.push({
        search: state,
        leastPieces,
        frames: columnsOf(scratch.rows, place * size, shape.outputSize, shape.frames, frames),
      });
  }
  if (joint !== undefined) await decodeRnnt(joint, vocabulary.blank, chunks);
}

/** Returns the first `count` columns of a [rows, stride] matrix, each as a separate vector. */
function columnsOf(matrix: Float32Array, from: number, rows: number, stride: number, count: number): Float32Array[] {
  return Array.from({ length: count }, (_, column) =>
    Float32Array.from({ length: rows }, (_value, row) => matrix[from + row * stride + column] ?? 0),
  );
}
