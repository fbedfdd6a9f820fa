import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Engine } from '@svc-asr/worker';
import { transcribe } from './agreement.ts';

/**
 * An utterance whose transcript is known before a run. About one percent of the utterances of a run are such controls.
 * Transcripts can therefore be compared while the engine is under load.
 */
export interface Control {
  readonly from: number;
  readonly length: number;
  readonly text: string;
  /**
   * Transcript that the engine under test returns without load. Equal to `text`, unless another engine computed `text`.
   * Absent in the part `worker` of the benchmark, which compares only `text`.
   */
  readonly alone?: string;
}

/** An utterance that is not transcribed yet. */
export type Utterance = Omit<Control, 'text' | 'alone'>;

/** Share of the utterances of a run that are controls. */
export const CONTROL_SHARE = 0.01;
/** Number of different controls. */
const CONTROLS = 200;
/** Shortest and longest duration of a control in seconds, before it is rounded to whole windows. */
const SECONDS = [6, 10] as const;

/**
 * Chooses parts of the speech as controls, which are utterances whose transcripts are compared during a run. The same
 * speech and chunk size always give the same controls. Each control ends at the end of a window.
 */
export function chooseControls(speechSamples: number, chunkSamples: number, lookback: number): Utterance[] {
  const next = randomNumbers();
  return Array.from({ length: CONTROLS }, () => {
    const seconds = SECONDS[0] + Math.floor(next() * (SECONDS[1] - SECONDS[0] + 1));
    const length = Math.round((seconds * 16_000) / chunkSamples) * chunkSamples - lookback;
    return { from: Math.floor(next() * Math.max(1, speechSamples - length)), length };
  });
}

/** Returns a generator of pseudo-random numbers from 0 to 1. Its sequence is always the same. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Transcribes controls (see `Control`) with an engine that has no other load. If transcripts of the same controls are
 * cached, returns these instead.
 */
export async function transcribeControls(
  startEngine: () => Promise<Engine>,
  name: string,
  context: Context,
  speech: Int16Array,
  controls: readonly Utterance[],
  cache: string | undefined,
): Promise<Control[]> {
  const file = join(cache ?? '', `${name}-${context.join('-')}.json`);
  if (cache !== undefined && existsSync(file)) {
    const known = JSON.parse(readFileSync(file, 'utf8')) as Control[];
    const isSame = (a: Utterance, i: number) => a.from === known[i]?.from && a.length === known[i].length;
    if (controls.every(isSame)) return known;
  }
  const engine = await startEngine();
  const known = await Promise.all(
    controls.map(async ({ from, length }): Promise<Control> => {
      return { from, length, text: await transcribe(engine, context, speech.subarray(from, from + length)) };
    }),
  );
  if (cache !== undefined) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(file, JSON.stringify(known));
  }
  return known;
}
