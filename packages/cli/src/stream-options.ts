import { MAX_AUDIO_SECONDS } from '@svc-asr/core/stream';
import type { StreamConfig } from '@svc-asr/client';
import type { Invocation, Option } from './command.ts';
import { UsageError } from './exit.ts';
import { parseWhole } from './expiry.ts';

/** Options of the commands that stream. */
export const STREAM_OPTIONS: Readonly<Record<string, Option>> = {
  model: { value: 'ID', help: 'Model id from `svc-asr models`. Default: the model of --language, else the first one.' },
  language: { value: 'CODE', help: 'Language code, for example ki.' },
  context: {
    value: 'LEFT,RIGHT',
    help: 'Attention context, for example 56,3. A smaller right context gives faster results.',
  },
  'max-seconds': { value: 'N', help: `Maximum audio to reserve, 1 to ${MAX_AUDIO_SECONDS} seconds.` },
  json: { help: 'Print each stream event as one line of JSON.' },
};

/** Returns --max-seconds. Undefined if it is absent. */
export function maxSecondsOf({ option }: Invocation): number | undefined {
  const seconds = parseWhole('max-seconds', option('max-seconds'));
  if (seconds !== undefined && (seconds < 1 || seconds > MAX_AUDIO_SECONDS)) {
    throw new UsageError(`--max-seconds must be a whole number from 1 to ${MAX_AUDIO_SECONDS}`);
  }
  return seconds;
}

/** Returns the configuration of the stream. Undefined if no option sets it. */
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
    throw new UsageError('--context must be two whole numbers, left and right, for example 56,3');
  }
  return [Number(left), Number(right)];
}
