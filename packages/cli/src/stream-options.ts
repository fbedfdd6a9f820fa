import { MAX_AUDIO_SECONDS } from '@svc-asr/core/stream';
import type { StreamConfig } from '@svc-asr/client';
import type { Invocation, Option } from './command.ts';
import { UsageError } from './exit.ts';
import { parseWhole } from './expiry.ts';

/** Options of the commands that stream. */
export const STREAM_OPTIONS: Readonly<Record<string, Option>> = {
  model: { value: 'ID', help: 'The model; `svc-asr models` lists them. Default: by --language, else the first.' },
  language: { value: 'CODE', help: 'The language, for example ki.' },
  context: { value: 'LEFT,RIGHT', help: 'Attention context, for example 56,3: a smaller right one is faster.' },
  'max-seconds': { value: 'N', help: `Reserve at most so much audio, 1 to ${MAX_AUDIO_SECONDS}.` },
  json: { help: 'Print each event of the stream as a line of JSON.' },
};

/** The longest audio that the person wants; undefined: as much as there is. */
export function maxSecondsOf({ option }: Invocation): number | undefined {
  const seconds = parseWhole('max-seconds', option('max-seconds'));
  if (seconds !== undefined && (seconds < 1 || seconds > MAX_AUDIO_SECONDS)) {
    throw new UsageError(`--max-seconds takes a whole number from 1 to ${MAX_AUDIO_SECONDS}`);
  }
  return seconds;
}

/** What `config` is to say; undefined: nothing was asked for. */
export function configOf({ option }: Invocation): StreamConfig | undefined {
  const [language, context] = [option('language'), option('context')];
  if (language === undefined && context === undefined) return undefined;
  return {
    ...(language === undefined ? {} : { language }),
    ...(context === undefined ? {} : { context: parseContext(context) }),
  };
}

function parseContext(text: string): [number, number] {
  const [, left, right] = /^(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
  if (left === undefined || right === undefined) {
    throw new UsageError('--context takes two whole numbers, left and right, for example 56,3');
  }
  return [Number(left), Number(right)];
}
