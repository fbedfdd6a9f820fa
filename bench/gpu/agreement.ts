import type { Context, Engine } from '@svc-asr/worker';
import { wordErrorRate } from '../worker/wer.ts';
import type { Recording } from './speech.ts';

/** An utterance for which two engines returned different transcripts. */
export interface Difference {
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
}

/** Comparison of the transcripts of two engines. The error rates are in percent and refer to whole recordings. */
export interface Agreement {
  readonly compared: number;
  readonly differences: readonly Difference[];
  readonly wordErrorRate: number;
  readonly expectedWordErrorRate: number;
}

/**
 * Lengths of the parts of a recording that are compared, as shares of the recording. A part with a share below 1
 * usually ends in the middle of a word.
 */
const SHARES = [1, 0.71, 0.43, 0.137];

/** Returns the transcript of one utterance. */
export async function transcribe(engine: Engine, context: Context, audio: Int16Array): Promise<string> {
  while (engine.freeSlots === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const stream = engine.open({ context });
  const final = new Promise<string>((resolve, reject) => {
    stream.once('final', ({ text }) => resolve(text));
    stream.once('error', reject);
  });
  const WRITE = 16_000;
  for (let at = 0; at < audio.length; at += WRITE) {
    if (!stream.write(audio.subarray(at, at + WRITE))) {
      await new Promise<void>((resolve) => stream.once('drain', resolve));
    }
  }
  stream.flush();
  const text = await final;
  stream.close();
  return text;
}

/**
 * Transcribes all recordings with both engines at one context, and compares the transcripts. Transcribes each recording
 * as a whole, and also shorter parts from its start.
 */
export async function compareRecordings(
  engine: Engine,
  reference: Engine,
  context: Context,
  recordings: readonly Recording[],
): Promise<Agreement> {
  const parts = recordings.flatMap(({ name, samples }) =>
    SHARES.map((share) => {
      const end = Math.floor(samples.length * share);
      return { name: `${name} to ${end}`, audio: samples.subarray(0, end) };
    }),
  );
  const texts = (one: Engine) => Promise.all(parts.map(({ audio }) => transcribe(one, context, audio)));
  const [actual, expected] = [await texts(engine), await texts(reference)];
  const differences = parts.flatMap(({ name }, i) =>
    actual[i] === expected[i] ? [] : [{ name, expected: expected[i] ?? '', actual: actual[i] ?? '' }],
  );
  const whole = (texts_: readonly string[]) => texts_.filter((_, i) => i % SHARES.length === 0);
  const references = recordings.map(({ text }) => text);
  return {
    compared: parts.length,
    differences,
    wordErrorRate: wordErrorRate(references, whole(actual)),
    expectedWordErrorRate: wordErrorRate(references, whole(expected)),
  };
}
