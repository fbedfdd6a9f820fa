import { AUDIO } from '@svc-asr/core';
import { trimSilence } from '../../test/support/long-audio.ts';
import { addNoise } from '../../test/support/noise.ts';
import type { Recording } from '../worker/audio.ts';

/** Recordings joined by pauses. */
export interface JoinedAudio {
  readonly samples: Int16Array;
  /** Ends of speech: the first sample of each pause. */
  readonly ends: readonly number[];
  readonly pauseSamples: number;
  /** Number of samples of speech, not counting the pauses. */
  readonly speechSamples: number;
}

/** Loudness of the noise that is added to the speech and to the pauses: about 60 dB below full scale. */
const NOISE_RMS = 33;

/**
 * Joins recordings and adds a pause after each of them. Removes the silence at the start and the end of each recording,
 * so that the ends of speech are known. The kind `noise` adds quiet noise to all of the audio.
 */
export function joinWithPauses(
  recordings: readonly Recording[],
  pauseMs: number,
  kind: 'silence' | 'noise',
): JoinedAudio {
  const pauseSamples = (pauseMs * AUDIO.sampleRateHz) / 1000;
  const spoken = recordings.map(({ samples }) => trimSilence(samples));
  const speechSamples = spoken.reduce((sum, { length }) => sum + length, 0);
  const samples = new Int16Array(speechSamples + spoken.length * pauseSamples);
  const ends: number[] = [];
  let at = 0;
  for (const part of spoken) {
    samples.set(part, at);
    at += part.length;
    ends.push(at);
    at += pauseSamples;
  }
  const audio = kind === 'noise' ? addNoise(samples, NOISE_RMS) : samples;
  return { samples: audio, ends, pauseSamples, speechSamples };
}

/** Comparison of the cuts of a stream with its pauses. */
export interface CutCounts {
  readonly found: number;
  readonly missed: number;
  /** Number of cuts within speech, plus additional cuts in a pause. */
  readonly falseEnds: number;
}

/**
 * Compares cuts with the pauses. An end of speech counts as found if the first cut in the following pause is in time.
 * Endpointing can cut when `silenceMs` of the pause have passed. A cut is in time if it comes at most `lateMs` of audio
 * later.
 */
export function countCuts(audio: JoinedAudio, cuts: readonly number[], silenceMs: number, lateMs: number): CutCounts {
  const latest = ((silenceMs + lateMs) * AUDIO.sampleRateHz) / 1000;
  const first = audio.ends.map((end) => cuts.find((cut) => cut >= end && cut <= end + audio.pauseSamples));
  const inPause = first.filter((cut) => cut !== undefined).length;
  const found = first.filter((cut, at) => cut !== undefined && cut - (audio.ends[at] ?? 0) <= latest).length;
  return { found, missed: audio.ends.length - found, falseEnds: cuts.length - inPause };
}
