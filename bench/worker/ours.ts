import type { Engine } from '@svc-asr/worker';
import type { Utterances } from './audio.ts';

/** CPU and wall time of one round in milliseconds, and the transcripts by stream. */
export interface Round {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** CPU time inside `run()` of onnxruntime. Only our engine reports it. */
  readonly runCpuMs?: number;
  readonly texts: string[];
}

/** Samples in a client's frame of 100 ms. */
export const FRAME_SAMPLES = 1600;

/**
 * Sends all streams to the engine at the same time, as fast as back-pressure allows. Counts the CPU time of the whole
 * process.
 */
export async function runOurs(engine: Engine, streams: readonly Utterances[]): Promise<Round> {
  const [cpu, started, before] = [process.cpuUsage(), performance.now(), engine.stats.runCpuMs];
  const texts = (await Promise.all(streams.map((utterances) => transcribe(engine, utterances)))).flat();
  const spent = process.cpuUsage(cpu);
  return {
    cpuMs: (spent.user + spent.system) / 1000,
    wallMs: performance.now() - started,
    runCpuMs: engine.stats.runCpuMs - before,
    texts,
  };
}

async function transcribe(engine: Engine, utterances: Utterances): Promise<string[]> {
  const stream = engine.open();
  const texts: string[] = [];
  const done = new Promise<void>((resolve, reject) => {
    stream.on('final', ({ text }) => {
      if (texts.push(text) === utterances.length) resolve();
    });
    stream.once('error', reject);
  });
  for (const { samples } of utterances) {
    for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
      if (!stream.write(samples.subarray(at, at + FRAME_SAMPLES))) {
        await new Promise<void>((resolve) => stream.once('drain', resolve));
      }
    }
    stream.flush();
  }
  await done;
  stream.close();
  return texts;
}
