import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '@svc-asr/worker';

/** What the Python part of an import reports about one context. */
export interface ParityEntry {
  readonly context: Context;
  /** Classes of the pieces that the original model finds in each recording of the check. */
  readonly pieces: readonly (readonly number[])[];
  /** Largest difference between an output of the CPU graph (log-probability or encoded value) and that of the model. */
  readonly largestDifference: number;
  /**
   * Number of pieces, over all recordings, in which the result of the GPU graphs differs from that of the original
   * model. The GPU graphs have their final precision.
   */
  readonly gpuPieceErrors: number;
}

/** Content of import.json, which the Python part of an import writes. */
export interface ImportFacts {
  readonly type: 'ctc' | 'transducer';
  readonly contexts: readonly Context[];
  readonly layers: number;
  readonly width: number;
  readonly mels: number;
  readonly pieces: number;
  readonly gpuPrecision: 'f16' | 'f32';
  readonly notes: readonly string[];
  readonly parity: readonly ParityEntry[];
  /** Number of samples of each recording of the check, and then of each utterance of the manifest. */
  readonly samples: readonly number[];
  /** Texts of the utterances of the manifest. */
  readonly texts: readonly string[];
  readonly prompt?: number;
}

/** Recordings of an import. */
export interface ImportAudio {
  readonly checked: readonly Int16Array[];
  readonly utterances: readonly { readonly samples: Int16Array; readonly text: string }[];
}

/** Reads what the Python part has written to a folder. */
export function readFacts(folder: string): { facts: ImportFacts; audio: ImportAudio } {
  const facts = JSON.parse(readFileSync(join(folder, 'import.json'), 'utf8')) as ImportFacts;
  const bytes = readFileSync(join(folder, 'audio.pcm'));
  const all = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  let at = 0;
  const recordings = facts.samples.map((count) => all.subarray(at, (at += count)));
  const checked = recordings.length - facts.texts.length;
  return {
    facts,
    audio: {
      checked: recordings.slice(0, checked),
      utterances: recordings.slice(checked).map((samples, i) => ({ samples, text: facts.texts[i] ?? '' })),
    },
  };
}
