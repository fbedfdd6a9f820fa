import { AUDIO } from '@svc-asr/core/stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AsrStream } from '@svc-asr/client';
import type { PcmSource } from './pcm-source.ts';

export interface SendOptions {
  /** Maximum number of samples to send. */
  maxSamples: number;
  /** True to send at the speed of the recording. */
  isRealtime: boolean;
}

export interface Sent {
  samples: number;
  /** True if the source had more audio than was sent. */
  isCut: boolean;
}

/** Samples of one part in real-time mode: 100 ms, as from a microphone. */
const REALTIME_SAMPLES = AUDIO.sampleRateHz / 10;

/** Sends audio up to the limit, or until the source ends. Rejects if the stream ends earlier. */
export async function sendAudio(
  stream: Pick<AsrStream, 'send'>,
  source: PcmSource,
  { maxSamples, isRealtime }: SendOptions,
): Promise<Sent> {
  const startedMs = performance.now();
  let [samples, hasMore] = [0, false];
  for await (const part of partsOf(source.chunks, isRealtime ? REALTIME_SAMPLES : Infinity)) {
    const fitting = part.subarray(0, maxSamples - samples);
    samples += fitting.length;
    hasMore = fitting.length < part.length;
    if (isRealtime) await sleep(Math.max(0, startedMs + samplesToMs(samples) - performance.now()));
    if (fitting.length > 0) await stream.send(fitting);
    if (hasMore) break;
  }
  const { totalSamples = hasMore ? Infinity : samples } = source;
  return { samples, isCut: samples < totalSamples };
}

async function* partsOf(chunks: AsyncIterable<Int16Array>, maxSamples: number): AsyncGenerator<Int16Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += maxSamples) yield chunk.subarray(at, at + maxSamples);
  }
}

function samplesToMs(samples: number): number {
  return (samples * 1000) / AUDIO.sampleRateHz;
}
