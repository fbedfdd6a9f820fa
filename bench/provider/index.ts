/**
 * Compares an execution provider with the CPU, with the same model and recordings. PROVIDER names the execution
 * provider, and cuda is the default. README.md lists what the machine needs.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startEngine } from '@svc-asr/worker';
import type { Engine } from '@svc-asr/worker';
import { readStreams, secondsOf } from '../worker/audio.ts';
import { runDeclaredLoad } from '../worker/declared.ts';
import { runOurs } from '../worker/ours.ts';
import { wordErrorRate } from '../worker/wer.ts';

const MODELS = ['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'];
const STREAMS = 64;
const PARTS = 3;

/**
 * Measures slots, speed, error rate and agreement of transcripts for each bundled model. Returns nothing if the machine
 * does not have the provider.
 */
export async function bench({ logProgress }: { logProgress: (line: string) => void }) {
  const provider = process.env.PROVIDER ?? 'cuda';
  const ratios: Record<string, number> = {};
  const figures: Record<string, number> = {};
  for (const model of MODELS) {
    const modelDir = fileURLToPath(new URL(`../../worker/models/${model}`, import.meta.url));
    let engine: Engine;
    try {
      engine = await startEngine({ modelDir, provider, maxSlots: 8192 });
    } catch (error) {
      logProgress(`${provider} cannot be measured here: ${error instanceof Error ? error.message : String(error)}`);
      return { ratios, figures };
    }
    const cpu = await startEngine({ modelDir });
    try {
      const name = languageOf(modelDir);
      const streams = readStreams(`${modelDir}/eval`, STREAMS, PARTS);
      const references = streams.flat().map(({ text }) => text);
      // The first round of each engine is not counted, because the engine compiles code and fills caches in that round.
      for (const one of [engine, cpu]) await runOurs(one, streams);
      const [ours, theirs] = [await runOurs(engine, streams), await runOurs(cpu, streams)];
      const equal = ours.texts.filter((text, i) => text === theirs.texts[i]).length;
      logProgress(`${name}: ${equal} of ${ours.texts.length} transcripts equal those of the CPU`);
      const seconds = secondsOf(streams);
      ratios[`${name}_throughput_vs_cpu`] = theirs.wallMs / ours.wallMs;
      ratios[`${name}_slots_vs_cpu`] = engine.info.slots / cpu.info.slots;
      figures[`${name}_slots`] = engine.info.slots;
      figures[`${name}_cpu_slots`] = cpu.info.slots;
      figures[`${name}_equal_transcripts_percent`] = (100 * equal) / ours.texts.length;
      figures[`${name}_word_error_rate`] = wordErrorRate(references, ours.texts);
      figures[`${name}_cpu_word_error_rate`] = wordErrorRate(references, theirs.texts);
      figures[`${name}_wall_ms_per_audio_second`] = ours.wallMs / seconds;
      figures[`${name}_cpu_wall_ms_per_audio_second`] = theirs.wallMs / seconds;
      const declared = await runDeclaredLoad(engine, streams.flat());
      figures[`${name}_delta_p50_ms`] = declared.deltaP50Ms;
      figures[`${name}_delta_p95_ms`] = declared.deltaP95Ms;
      figures[`${name}_longest_own_stall_ms`] = declared.longestOwnStallMs;
    } finally {
      await engine.close();
      await cpu.close();
    }
  }
  return { ratios, figures };
}

function languageOf(modelDir: string): string {
  const { language } = JSON.parse(readFileSync(`${modelDir}/manifest.json`, 'utf8')) as { language: string };
  return language.toLowerCase();
}
