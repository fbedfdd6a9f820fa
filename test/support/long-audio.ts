import { AUDIO } from '@svc-asr/core';
import { MODEL } from './gateway.ts';
import { recordings } from './recording.ts';

export interface LongAudioOptions {
  seconds: number;
  /** Silence between recordings. With 0 they follow each other without a pause. */
  pauseMs: number;
  model?: string;
}

const BLOCK_SAMPLES = AUDIO.sampleRateHz / 100;
/** Lowest loudness (RMS) at which a block of 10 ms counts as speech. */
const SPEECH_RMS = 150;

/**
 * Builds audio (mono, 16 kHz, 16 bit) of an exact length from all recordings of a model, in turn. Each turn starts with
 * another recording, so that the same words occur at different places of a session.
 */
export function joinRecordings({ seconds, pauseMs, model = MODEL }: LongAudioOptions): Buffer {
  const parts = recordings(model).map(({ pcm }) => {
    const samples = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));
    return Buffer.from(trimSilence(samples).slice().buffer);
  });
  const pause = Buffer.alloc((pauseMs / 1000) * AUDIO.sampleRateHz * AUDIO.bytesPerSample);
  const audio = Buffer.alloc(seconds * AUDIO.sampleRateHz * AUDIO.bytesPerSample);
  let at = 0;
  for (let turn = 0; at < audio.length; turn++) {
    for (const part of [...parts.slice(turn % parts.length), ...parts.slice(0, turn % parts.length)]) {
      at += part.copy(audio, at) + pause.length;
      if (at >= audio.length) break;
    }
  }
  return audio;
}

/** Removes quiet blocks from both ends of a recording. */
export function trimSilence(samples: Int16Array): Int16Array {
  const isLoud = (block: number) => {
    const part = samples.subarray(block * BLOCK_SAMPLES, (block + 1) * BLOCK_SAMPLES);
    return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length) >= SPEECH_RMS;
  };
  let [first, last] = [0, Math.ceil(samples.length / BLOCK_SAMPLES)];
  while (first < last && !isLoud(first)) first++;
  while (last > first && !isLoud(last - 1)) last--;
  return samples.subarray(first * BLOCK_SAMPLES, last * BLOCK_SAMPLES);
}
