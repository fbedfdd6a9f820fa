/**
 * Measures endpointing on recordings that are joined by pauses of known length. Reports the share of ends of speech
 * that endpointing finds, and the number of cuts within speech.
 */
import { fileURLToPath } from 'node:url';
import { AUDIO, ENCODER_FRAME_MS } from '@svc-asr/core';
import { startEngine } from '@svc-asr/worker';
import type { Engine } from '@svc-asr/worker';
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { readStreams } from '../worker/audio.ts';
import { countCuts, joinWithPauses } from './pauses.ts';
import type { JoinedAudio } from './pauses.ts';

const MODELS = ['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'];
const SILENCES_MS = [200, 300, 500, 800];
const PAUSE_MS = 1500;
/**
 * Longest delay of a cut, in milliseconds of audio. The delay starts when the pause has reached the rounded silence that
 * is measured. If the cut comes later, the end of speech counts as missed.
 */
const LATE_MS = 300;
/** Number of recordings in each stream. */
const PARTS = 6;
/**
 * Number of streams of each model. The streams contain the same recordings in different orders, so that chunks start at
 * different places of a recording.
 */
const STREAMS = { quick: 1, usual: 6, full: 6 };
/** Right contexts that `--quick` measures. */
const QUICK_CONTEXTS = [13, 3, 0];
const WRITE_SAMPLES = 16_000;

/**
 * Runs the measurement for each context, each length of silence and each kind of pause. `--quick` leaves out some
 * contexts and streams.
 */
export async function bench({ logProgress, size = 'usual' }: BenchOptions): Promise<BenchResult> {
  const figures: Record<string, number> = {};
  const totals = { found: 0, missed: 0 };
  const engines = await Promise.all(MODELS.map(async (model) => ({ model, engine: await startModel(model) })));
  const contexts = engines[0]?.engine.info.contexts ?? [];
  for (const { context } of contexts) {
    if (size === 'quick' && !QUICK_CONTEXTS.includes(context[1])) continue;
    for (const silenceMs of SILENCES_MS) {
      // The engine rounds each silence up to whole encoder frames.
      const rounded = Math.ceil(silenceMs / ENCODER_FRAME_MS) * ENCODER_FRAME_MS;
      for (const kind of ['silence', 'noise'] as const) {
        const counts = { found: 0, missed: 0, falseEnds: 0, minutes: 0 };
        for (const { model, engine } of engines) {
          const streams = readStreams(`${folderOf(model)}/eval`, STREAMS[size], PARTS);
          const results = await Promise.all(
            streams.map(async (recordings) => {
              const audio = joinWithPauses(recordings, PAUSE_MS, kind);
              const cuts = await cutsOf(engine, audio, [context[0], context[1]], silenceMs);
              return { audio, ...countCuts(audio, cuts, rounded, LATE_MS) };
            }),
          );
          for (const { audio, found, missed, falseEnds } of results) {
            counts.found += found;
            counts.missed += missed;
            counts.falseEnds += falseEnds;
            counts.minutes += audio.speechSamples / AUDIO.sampleRateHz / 60;
          }
        }
        totals.found += counts.found;
        totals.missed += counts.missed;
        const name = `context_${context.join('_')}_${silenceMs}_ms_${kind}`;
        figures[`${name}_found_percent`] = (100 * counts.found) / (counts.found + counts.missed);
        figures[`${name}_false_ends_per_minute`] = counts.falseEnds / counts.minutes;
        logProgress(`${name}: ${counts.found} of ${counts.found + counts.missed} ends found`);
      }
    }
  }
  await Promise.all(engines.map(({ engine }) => engine.close()));
  return { ratios: { ends_found: totals.found / (totals.found + totals.missed) }, figures };
}

const folderOf = (model: string): string => fileURLToPath(new URL(`../../worker/models/${model}`, import.meta.url));

const startModel = (model: string): Promise<Engine> => startEngine({ modelDir: folderOf(model), slots: 2 * PARTS });

/** Returns the positions at which the engine cuts the audio, in samples. */
async function cutsOf(
  engine: Engine,
  { samples }: JoinedAudio,
  context: [number, number],
  silenceMs: number,
): Promise<number[]> {
  // Waits for a free slot, because the inference thread frees the slot of a closed stream with a short delay.
  while (engine.freeSlots === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const stream = engine.open({ context, endpointing: { silenceMs, notBefore: 0 } });
  const cuts: number[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    stream.on('error', reject);
    stream.on('final', ({ endSample, isEndpoint }) => {
      if (isEndpoint) cuts.push(endSample);
      else resolve();
    });
  });
  for (let at = 0; at < samples.length; at += WRITE_SAMPLES) {
    if (!stream.write(samples.subarray(at, at + WRITE_SAMPLES)))
      await new Promise<void>((resolve) => stream.once('drain', resolve));
  }
  stream.flush();
  await ended;
  stream.close();
  return cuts;
}
