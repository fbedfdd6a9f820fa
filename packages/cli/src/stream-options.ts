import type { Model } from '@svc-asr/core';
import { STREAM_LIMITS } from '@svc-asr/core/stream';
import type { StreamConfig } from '@svc-asr/client';
import type { Invocation, Option } from './command.ts';
import { UsageError } from './exit.ts';
import { parseWhole } from './expiry.ts';
import { contextFor, LATENCIES } from './latency.ts';

/** Options of the commands that stream. */
export const STREAM_OPTIONS: Readonly<Record<string, Option>> = {
  language: {
    value: 'TAG',
    help: 'Language of the audio, for example ki or ki-KE. Necessary if several models are installed.',
    short: 'l',
  },
  model: { value: 'ID', help: 'Model id from `svc-asr models`. Default: the model of --language.' },
  latency: {
    value: 'LEVEL',
    help: `${LATENCIES.join(', ')}: how soon the text appears. Default: that of the model.`,
    choices: LATENCIES,
  },
  context: {
    value: 'LEFT,RIGHT',
    help: 'Instead of --latency: attention context, for example 56,3. A smaller right context is faster.',
  },
  endpointing: {
    value: 'MS',
    help: 'End an utterance after this much silence, 200 to 5000 ms. Default: only at the end.',
  },
  'max-seconds': { value: 'N', help: 'Transcribe at most this many seconds of audio.' },
  json: { help: 'Print each stream event, and an error, as one line of JSON.' },
};

/** Returns --max-seconds. Infinity if it is absent. */
export function maxSecondsOf({ option }: Invocation): number {
  const seconds = parseWhole('max-seconds', option('max-seconds'));
  if (seconds !== undefined && seconds < 1) throw new UsageError('--max-seconds must be at least 1');
  return seconds ?? Infinity;
}

/**
 * Returns the configuration of the stream. Undefined if no option sets it. `language` is the language code to send to
 * the service.
 */
export function configOf(
  { option }: Invocation,
  model: Model | undefined,
  language: string | undefined,
): StreamConfig | undefined {
  const [latency, given] = [option('latency'), option('context')];
  if (latency !== undefined && given !== undefined) throw new UsageError('--latency cannot be combined with --context');
  const context = latency !== undefined ? contextFor(latency, model) : given && parseContext(given);
  const silenceMs = silenceOf(option('endpointing'));
  if (language === undefined && !context && silenceMs === undefined) return undefined;
  return {
    ...(language === undefined ? {} : { language }),
    ...(context ? { context } : {}),
    ...(silenceMs === undefined ? {} : { endpointing: { silence_ms: silenceMs } }),
  };
}

function silenceOf(text: string | undefined): number | undefined {
  const { minSilenceMs, maxSilenceMs } = STREAM_LIMITS;
  const silenceMs = parseWhole('endpointing', text);
  if (silenceMs !== undefined && (silenceMs < minSilenceMs || silenceMs > maxSilenceMs)) {
    throw new UsageError(`--endpointing must be a number of milliseconds from ${minSilenceMs} to ${maxSilenceMs}`);
  }
  return silenceMs;
}

function parseContext(text: string): [number, number] {
  const [, left, right] = /^(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
  if (left === undefined || right === undefined) {
    throw new UsageError('--context must be two whole numbers, left and right, for example 56,3');
  }
  return [Number(left), Number(right)];
}
