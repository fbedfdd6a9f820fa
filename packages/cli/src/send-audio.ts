import { AUDIO } from '@svc-asr/core/stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcAsrStreamEnded } from '@svc-asr/client';
import type { AsrStream } from '@svc-asr/client';
import type { PcmSource } from './pcm-source.ts';

export interface SendOptions {
  /** The audio that the session takes. */
  maxSamples: number;
  /** Sends no faster than a person speaks. */
  isRealtime: boolean;
}

export interface Sent {
  samples: number;
  /** There was more audio than was sent. */
  isCut: boolean;
}

/** What a microphone would give at a time. */
const REALTIME_SAMPLES = AUDIO.sampleRateHz / 10;

/** Sends audio up to the limit of the session, until it or the stream ends. */
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
    if (fitting.length > 0 && !(await isTaken(stream.send(fitting)))) break;
    if (hasMore) break;
  }
  const { totalSamples = hasMore || source.isStopped() ? Infinity : samples } = source;
  return { samples, isCut: samples < totalSamples };
}

async function* partsOf(chunks: AsyncIterable<Int16Array>, most: number): AsyncGenerator<Int16Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += most) yield chunk.subarray(at, at + most);
  }
}

/** False when the stream has ended, which its own end tells about. */
async function isTaken(sending: Promise<void>): Promise<boolean> {
  try {
    await sending;
    return true;
  } catch (error) {
    if (error instanceof SvcAsrStreamEnded) return false;
    throw error;
  }
}

function samplesToMs(samples: number): number {
  return (samples * 1000) / AUDIO.sampleRateHz;
}
