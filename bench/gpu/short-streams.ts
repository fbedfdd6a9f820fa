import type { Context, Engine } from '@svc-asr/worker';
import { transcribe } from './agreement.ts';
import { usedDeviceMiB } from './device-memory.ts';

/** Load by many speakers. Each of them opens short streams, one after the other. */
export interface ShortStreamsOptions {
  readonly engine: Engine;
  readonly context: Context;
  readonly speech: Int16Array;
  readonly speakers: number;
  readonly seconds: number;
  readonly logProgress: (line: string) => void;
}

export interface ShortStreamsResult {
  readonly opened: number;
  readonly finals: number;
  readonly failed: number;
  /**
   * Number of finals that differ from the transcript of the same audio before the load. They would differ if a stream
   * read a memory page of another stream.
   */
  readonly different: number;
  /** Number of free slots at the end. It is less than the number of slots if streams did not release theirs. */
  readonly freeSlots: number;
  /** Used device memory in MiB at the start, at its peak and at the end. Undefined on a machine without a GPU. */
  readonly memory: { readonly start: number; readonly peak: number; readonly end: number } | undefined;
}

/** Lengths of the audio in samples, from 0.5 to 3 s. */
const LENGTHS = Array.from({ length: 17 }, (_, i) => 8000 + i * 2500);
/** Number of positions in the speech at which a stream may start. */
const PLACES = 16;
/** Share of the streams that close without a flush, possibly while the engine processes one of their windows. */
const ABANDONED_SHARE = 0.2;
const REPORT_MS = 10_000;
/** Time to wait after all streams were closed, so that the engine can release their slots. */
const SETTLE_MS = 2000;

/**
 * Opens and closes short streams for the given time. Compares each transcript with the transcript that the engine
 * returned for the same audio before the load.
 */
export async function runShortStreams(options: ShortStreamsOptions): Promise<ShortStreamsResult> {
  const { engine, context, speech, speakers, seconds, logProgress } = options;
  const counts = { opened: 0, finals: 0, failed: 0, different: 0 };
  const audios = buildAudios(speech);
  const expected = await Promise.all(audios.map((audio) => transcribe(engine, context, audio)));
  const endMs = performance.now() + seconds * 1000;
  const memory: number[] = [];
  const measure = (): void => {
    const used = usedDeviceMiB();
    if (used !== undefined) memory.push(used);
    const residentMiB = Math.round(process.memoryUsage.rss() / 2 ** 20);
    logProgress(`  ${counts.opened} streams opened, device memory ${used ?? '-'} MiB, process ${residentMiB} MiB`);
  };
  measure();
  const timer = setInterval(measure, REPORT_MS);
  await Promise.all(
    Array.from({ length: speakers }, async () => {
      // Waits for a random time, so that speakers start at different times.
      await pause(Math.random() * 1000);
      while (performance.now() < endMs) await speakOnce(options, audios, expected, counts);
    }),
  );
  clearInterval(timer);
  await pause(SETTLE_MS);
  measure();
  const [start = 0] = memory;
  const hasMemory = memory.length > 0 ? { start, peak: Math.max(...memory), end: memory.at(-1) ?? 0 } : undefined;
  return { ...counts, freeSlots: engine.freeSlots, memory: hasMemory };
}

function buildAudios(speech: Int16Array): Int16Array[] {
  const [longest = 0] = LENGTHS.slice(-1);
  const step = Math.floor((speech.length - longest) / PLACES);
  return LENGTHS.flatMap((length) =>
    Array.from({ length: PLACES }, (_, place) => speech.subarray(place * step, place * step + length)),
  );
}

async function speakOnce(
  { engine, context }: ShortStreamsOptions,
  audios: readonly Int16Array[],
  expected: readonly string[],
  counts: { opened: number; finals: number; failed: number; different: number },
): Promise<void> {
  const at = Math.floor(Math.random() * audios.length);
  const audio = audios[at] ?? new Int16Array();
  if (engine.freeSlots === 0) {
    await pause(5);
    return;
  }
  counts.opened++;
  if (Math.random() < ABANDONED_SHARE) {
    const stream = engine.open({ context });
    stream.on('error', () => counts.failed++);
    stream.write(audio);
    await pause(Math.random() * 50);
    stream.close();
    return;
  }
  try {
    const text = await transcribe(engine, context, audio);
    counts.finals++;
    if (text !== expected[at]) counts.different++;
  } catch {
    counts.failed++;
  }
  await pause(500 + Math.random() * 500);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
