/**
 * Measures the effect of phrases, which are texts that the engine prefers. Recognizes the recordings of the bundled
 * models first without phrases. Then repeats this with three lists of phrases: the words that were missed, words that
 * are not spoken, and both. Also compares the CPU times with and without phrases.
 */
import { fileURLToPath } from 'node:url';
import { PHRASE_LIMITS } from '@svc-asr/core';
import { startEngine } from '@svc-asr/worker';
import type { Engine } from '@svc-asr/worker';
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { editDistance } from '../../loadtest/lib/edit-distance.ts';
import { findRightWords } from '../../test/support/right-words.ts';
import { transcribe } from '../../worker/src/testing/transcribe.ts';
import { readStreams, secondsOf } from '../worker/audio.ts';
import type { Recording } from '../worker/audio.ts';

const MODELS = ['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'];
/** Number of recordings of each model. */
const RECORDINGS = 6;
/** Number of samples in each write to a stream. */
const WRITTEN_SAMPLES = 16_000;
/**
 * Maximum number of phrases that are not spoken in a recording. They are words of the other recordings of the model.
 */
const OTHERS = 20;
/** Minimum number of characters of a word that becomes a phrase. */
const LEAST_CHARACTERS = 4;
/** Number of rounds for the CPU times. The best round with phrases and the best round without phrases count. */
const ROUNDS = 5;

/** A recording, its transcript without phrases, and the words that become phrases. */
interface Sample extends Recording {
  readonly words: readonly string[];
  readonly plain: readonly string[];
  readonly missed: readonly string[];
  readonly others: readonly string[];
}

export async function bench({ logProgress }: BenchOptions): Promise<BenchResult> {
  const totals = { words: 0, missed: 0, found: 0, found_among_others: 0, inserted: 0, changed_recordings: 0 };
  const errors = { plain: 0, missed: 0, missed_and_others: 0, others: 0 };
  const cpuMs = { plain: 0, phrases: 0 };
  let seconds = 0;
  for (const model of MODELS) {
    const folder = fileURLToPath(new URL(`../../worker/models/${model}`, import.meta.url));
    const engine = await startEngine({ modelDir: folder, slots: 1, measureMs: 0 });
    const samples = await readSamples(engine, folder);
    for (const { samples: audio, words, plain, missed, others } of samples) {
      const run = (phrases: readonly string[]) => recognize(engine, audio, phrases);
      const [better, mixed, distracted] = [await run(missed), await run([...missed, ...others]), await run(others)];
      totals.words += words.length;
      totals.missed += missed.length;
      totals.found += missed.filter((word) => better.includes(word)).length;
      totals.found_among_others += missed.filter((word) => mixed.includes(word)).length;
      totals.inserted += others.filter((word) => distracted.includes(word) && !plain.includes(word)).length;
      totals.changed_recordings += distracted.join(' ') === plain.join(' ') ? 0 : 1;
      errors.plain += editDistance(words, plain);
      errors.missed += editDistance(words, better);
      errors.missed_and_others += editDistance(words, mixed);
      errors.others += editDistance(words, distracted);
    }
    const times = await measureCpu(engine, samples);
    cpuMs.plain += times.plain;
    cpuMs.phrases += times.phrases;
    seconds += secondsOf([samples]);
    logProgress(`${model}: ${samples.length} recordings`);
    await engine.close();
  }
  const percent = (count: number) => (100 * count) / totals.words;
  return {
    ratios: { cpu_with_phrases: cpuMs.phrases / cpuMs.plain, errors_with_phrases: errors.missed / errors.plain },
    figures: {
      ...totals,
      word_errors_plain_percent: percent(errors.plain),
      word_errors_missed_words_percent: percent(errors.missed),
      word_errors_missed_words_and_others_percent: percent(errors.missed_and_others),
      word_errors_others_only_percent: percent(errors.others),
      cpu_plain_ms_per_second: cpuMs.plain / seconds,
      cpu_phrases_ms_per_second: cpuMs.phrases / seconds,
    },
  };
}

async function readSamples(engine: Engine, folder: string): Promise<Sample[]> {
  const recordings = readStreams(`${folder}/eval`, 1, RECORDINGS).flat();
  const vocabulary = [...new Set(recordings.flatMap(({ text }) => text.split(/\s+/)))].filter(isLong);
  const samples: Sample[] = [];
  for (const { samples: audio, text } of recordings) {
    const [words, plain] = [text.split(/\s+/), await recognize(engine, audio, [])];
    const isRight = findRightWords(plain, words);
    const missed = [...new Set(words.filter((word, i) => isRight[i] !== true && isLong(word)))];
    const others = vocabulary.filter((word) => !words.includes(word)).slice(0, OTHERS);
    samples.push({ samples: audio, text, words, plain, missed, others });
  }
  return samples;
}

const isLong = (word: string): boolean => word.length >= LEAST_CHARACTERS;

/** Returns the CPU time of the process for all samples in milliseconds, without phrases and with all phrases. */
async function measureCpu(engine: Engine, samples: readonly Sample[]): Promise<{ plain: number; phrases: number }> {
  const best = { plain: Infinity, phrases: Infinity };
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of ['plain', 'phrases'] as const) {
      const before = process.cpuUsage();
      for (const { samples: audio, missed, others } of samples) {
        await recognize(engine, audio, side === 'plain' ? [] : [...missed, ...others]);
      }
      const { user, system } = process.cpuUsage(before);
      best[side] = Math.min(best[side], (user + system) / 1000);
    }
  }
  return best;
}

/** Returns the words that the engine recognizes. */
async function recognize(engine: Engine, samples: Int16Array, texts: readonly string[]): Promise<string[]> {
  // Waits for a free slot, because the inference thread frees the slot of a closed stream with a short delay.
  while (engine.freeSlots === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const phrases = texts.map((text) => ({ text, boost: PHRASE_LIMITS.defaultBoost }));
  const { final } = await transcribe(engine, samples, { sizes: [WRITTEN_SAMPLES], phrases });
  return final.words.map(({ text }) => text);
}
