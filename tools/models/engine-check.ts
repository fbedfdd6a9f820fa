import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngine } from '@svc-asr/worker';
import type { Context, Engine, EngineOptions } from '@svc-asr/worker';
import { editDistance } from '../../loadtest/lib/edit-distance.ts';
import { textOf } from '../../worker/src/decode/pieces.ts';
import { parseTokens } from '../../worker/src/model/tokens.ts';
import { transcribe } from '../../worker/src/testing/transcribe.ts';
import type { ImportAudio, ImportFacts } from './facts.ts';

/** Word errors of the engine on a manifest. */
export interface WordErrors {
  readonly context: Context;
  readonly utterances: number;
  readonly words: number;
  readonly errors: number;
}

/** Result of the check with the engine of the worker. */
export interface EngineCheck {
  /** Transcripts that were compared with those of the model. All of them are equal. */
  readonly transcripts: number;
  /** Transcripts of GPU graphs that are equal to those of the model. The graphs run on the CPU. */
  readonly gpuTranscripts: number;
  /** Streams that one core can serve, as a worker measures them when it starts. */
  readonly streamsPerCore: number;
  /** Undefined without a manifest. */
  readonly wordErrors: WordErrors | undefined;
}

/** Result of the check of CPU graphs with products in 8 bits. */
export interface EightBitCheck {
  /** Transcripts that are equal to those of the model. */
  readonly equalTranscripts: number;
  readonly streamsPerCore: number;
  readonly wordErrors: WordErrors | undefined;
}

/** Number of utterances that are recognized at the same time. */
const TOGETHER = 8;
/** Slots per utterance. One is too few, because a closed stream keeps its slot until the inference thread answers. */
const SLOTS_EACH = 2;
/** Number of times that `compareSpeed` measures each folder. */
const TURNS = 3;
/** Number of samples in each write to a stream. */
const WRITTEN = 8000;

/**
 * Loads a model folder as a worker does. Throws if a transcript of the CPU graphs differs from that of the original
 * model. `measureMs` limits the measurement of streams per core.
 */
export async function checkWithEngine(
  folder: string,
  facts: ImportFacts,
  audio: ImportAudio,
  measureMs?: number,
): Promise<EngineCheck> {
  const gpuTranscripts = await withEngine(
    { modelDir: folder, gpuGraphs: true, slots: SLOTS_EACH * TOGETHER },
    async (engine) => countEqual(await compareTranscripts(engine, folder, facts, audio)),
  );
  return runOnCpu(folder, measureMs, async (engine) => {
    const compared = await compareTranscripts(engine, folder, facts, audio);
    const different = compared.find(({ text, expected }) => text !== expected);
    if (different !== undefined) {
      const { context, text, expected } = different;
      throw new Error(
        `a transcript of the worker at [${context.join(', ')}] differs from that of the model: ` +
          `"${text}" instead of "${expected}". Nothing was written. Please report this model`,
      );
    }
    const wordErrors = await countWordErrors(engine, facts, audio);
    return { transcripts: compared.length, gpuTranscripts, streamsPerCore: engine.info.measuredSlots, wordErrors };
  });
}

/** Loads a model folder whose CPU graph has 8 bits. Its transcripts may differ from those of the model. */
export async function checkEightBits(
  folder: string,
  facts: ImportFacts,
  audio: ImportAudio,
): Promise<Omit<EightBitCheck, 'streamsPerCore'>> {
  return runOnCpu(folder, 0, async (engine) => {
    const equalTranscripts = countEqual(await compareTranscripts(engine, folder, facts, audio));
    return { equalTranscripts, wordErrors: await countWordErrors(engine, facts, audio) };
  });
}

/**
 * Returns the streams per core of two model folders. The folders are measured in turns, and the largest number of each
 * counts, because other programs can slow down a single measurement.
 */
export async function compareSpeed(one: string, other: string, measureMs?: number): Promise<[number, number]> {
  const measure = async (folder: string) => runOnCpu(folder, measureMs, ({ info }) => info.measuredSlots);
  const turns: [number, number][] = [];
  while (turns.length < TURNS) turns.push([await measure(one), await measure(other)]);
  return [Math.max(...turns.map(([first]) => first)), Math.max(...turns.map(([, second]) => second))];
}

async function runOnCpu<T>(
  folder: string,
  measureMs: number | undefined,
  use: (engine: Engine) => T | Promise<T>,
): Promise<T> {
  return withEngine({ modelDir: folder, ...(measureMs === undefined ? {} : { measureMs }) }, use);
}

async function withEngine<T>(options: EngineOptions, use: (engine: Engine) => T | Promise<T>): Promise<T> {
  const engine = await startEngine(options);
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

interface Compared {
  readonly context: Context;
  readonly text: string;
  readonly expected: string;
}

const countEqual = (compared: readonly Compared[]): number =>
  compared.filter(({ text, expected }) => text === expected).length;

async function compareTranscripts(
  engine: Engine,
  folder: string,
  { parity }: ImportFacts,
  { checked }: ImportAudio,
): Promise<Compared[]> {
  const { pieces } = parseTokens(readFileSync(join(folder, 'tokens.txt'), 'utf8'));
  const compared: Compared[] = [];
  for (const { context, pieces: found } of parity) {
    const texts = await transcribeAll(engine, checked, context);
    texts.forEach((text, i) => {
      const expected = (found[i] ?? []).map((id) => textOf(pieces[id] ?? '')).join('');
      compared.push({ context, text, expected: expected.trim() });
    });
  }
  return compared;
}

async function countWordErrors(
  engine: Engine,
  facts: ImportFacts,
  { utterances }: ImportAudio,
): Promise<WordErrors | undefined> {
  if (utterances.length === 0) return undefined;
  const context = facts.contexts[0] ?? [0, 0];
  const texts = await transcribeAll(
    engine,
    utterances.map(({ samples }) => samples),
    context,
  );
  let [words, errors] = [0, 0];
  utterances.forEach(({ text }, i) => {
    const reference = wordsOf(text);
    words += reference.length;
    errors += editDistance(reference, wordsOf(texts[i] ?? ''));
  });
  return { context, utterances: utterances.length, words, errors };
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

async function transcribeAll(engine: Engine, recordings: readonly Int16Array[], context: Context): Promise<string[]> {
  const together = Math.max(1, Math.min(TOGETHER, Math.floor(engine.info.slots / SLOTS_EACH)));
  const texts: string[] = [];
  for (let at = 0; at < recordings.length; at += together) {
    const batch = recordings.slice(at, at + together);
    const answers = await Promise.all(
      batch.map((samples) => transcribe(engine, samples, { context, sizes: [WRITTEN] })),
    );
    texts.push(...answers.map(({ final }) => final.text));
  }
  return texts;
}
