/**
 * Measures how well the confidences of words separate right words from wrong words. The engine recognizes the
 * recordings that two bundled models contain, first unchanged and then with added white noise.
 */
import { fileURLToPath } from 'node:url';
import { startEngine } from '@svc-asr/worker';
import type { Engine, Word } from '@svc-asr/worker';
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { addNoiseBelow } from '../../test/support/noise.ts';
import { findRightWords } from '../../test/support/right-words.ts';
import { transcribe } from '../../worker/src/testing/transcribe.ts';
import { readStreams } from '../worker/audio.ts';
import { measureQuality } from './quality.ts';
import type { JudgedWord } from './quality.ts';

const MODELS = ['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'];
/** Number of recordings of each model. */
const RECORDINGS = 6;
/** Number of samples in each write to a stream. */
const WRITTEN_SAMPLES = 16_000;
/** Levels of the noise, in decibels below the recording. Infinity means no noise. */
const NOISES_DB = [Infinity, 20, 10, 5, 0];
/** Lower limits of the ranges of confidences for which the share of right words is reported. */
const RANGES = [0, 0.5, 0.8, 0.95];

/**
 * Measures the quality of the confidences for each noise level, for all levels together, and for each range of
 * confidences.
 */
export async function bench({ logProgress }: BenchOptions): Promise<BenchResult> {
  const figures: Record<string, number> = {};
  const all: JudgedWord[] = [];
  const engines = await Promise.all(MODELS.map(startModel));
  const report = (name: string, words: readonly JudgedWord[]) => {
    for (const [figure, value] of Object.entries(measureQuality(words))) {
      if (typeof value === 'number') figures[`${name}_${figure}`] = value;
    }
    logProgress(`${name}: ${words.length} words`);
  };
  for (const noiseDb of NOISES_DB) {
    const words: JudgedWord[] = [];
    for (const { folder, engine } of engines) words.push(...(await judgeRecordings(engine, folder, noiseDb)));
    report(noiseDb === Infinity ? 'clean' : `noise_${noiseDb}_db`, words);
    all.push(...words);
  }
  await Promise.all(engines.map(({ engine }) => engine.close()));
  report('all', all);
  for (const [at, from] of RANGES.entries()) {
    const until = RANGES[at + 1] ?? Infinity;
    const own = all.filter(({ confidence }) => confidence >= from && confidence < until);
    report(`all_from_${from}`, own);
  }
  return { ratios: { auc: figures.all_auc ?? 0 }, figures };
}

async function startModel(model: string): Promise<{ folder: string; engine: Engine }> {
  const folder = fileURLToPath(new URL(`../../worker/models/${model}`, import.meta.url));
  return { folder, engine: await startEngine({ modelDir: folder, slots: RECORDINGS, measureMs: 0 }) };
}

async function judgeRecordings(engine: Engine, folder: string, noiseDb: number): Promise<JudgedWord[]> {
  const recordings = readStreams(`${folder}/eval`, 1, RECORDINGS).flat();
  const judged: JudgedWord[] = [];
  for (const { samples, text } of recordings) {
    const words = await recognize(engine, noiseDb === Infinity ? samples : addNoiseBelow(samples, noiseDb));
    const isRight = findRightWords(
      text.split(/\s+/),
      words.map((word) => word.text),
    );
    judged.push(...words.map(({ confidence }, at) => ({ confidence, isRight: isRight[at] === true })));
  }
  return judged;
}

async function recognize(engine: Engine, samples: Int16Array): Promise<readonly Word[]> {
  // Waits for a free slot, because the inference thread frees the slot of a closed stream with a short delay.
  while (engine.freeSlots === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const { final } = await transcribe(engine, samples, { sizes: [WRITTEN_SAMPLES] });
  return final.words;
}
