import { parseArgs } from 'node:util';
import { FAULTS } from './fault-list.ts';
import type { FaultName } from './fault-list.ts';

/** Parsed command line. */
export interface ChaosArguments {
  readonly minutes: number;
  readonly seed: number;
  /** Faults that may be injected. */
  readonly faults: readonly FaultName[];
  readonly tenants: number;
  /** Streams that run at the same time. */
  readonly streams: number;
  /** Average time between two injections. */
  readonly intervalSeconds: number;
  /** Path of the report files, without the extension. Undefined if the report is only printed. */
  readonly report: string | undefined;
}

export const USAGE = `npm run chaos -- --minutes N [--seed S] [--faults A,B] [--tenants N] [--streams N] [--interval SECONDS] [--report FILE]

Runs the service under load, injects faults, and checks every account and every charge.
--faults takes names, or the part of a name before or after its colon. The names are:
${Object.keys(FAULTS)
  .map((name) => `  ${name}\n`)
  .join('')}`;

/** Parses the command line. Returns undefined if there are no arguments, or if they ask for help. */
export function parseChaosArguments(args: readonly string[], newSeed: () => number): ChaosArguments | undefined {
  if (args.length === 0 || args.includes('--help')) return undefined;
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: text,
      seed: text,
      faults: text,
      tenants: text,
      streams: text,
      interval: text,
      report: text,
    },
  });
  if (values.minutes === undefined) throw new Error('--minutes is missing');
  const tenants = wholeNumber('--tenants', values.tenants ?? '6');
  const streams = wholeNumber('--streams', values.streams ?? '12');
  if (streams < tenants) throw new Error('--streams must be at least --tenants, because each tenant has a stream');
  return {
    minutes: positive('--minutes', values.minutes),
    seed: values.seed === undefined ? newSeed() : wholeNumber('--seed', values.seed),
    faults: chooseFaults(values.faults),
    tenants,
    streams,
    intervalSeconds: positive('--interval', values.interval ?? '4.5'),
    report: values.report,
  };
}

/** Returns the faults that a list of names or parts of names selects. */
function chooseFaults(list: string | undefined): FaultName[] {
  const names = Object.keys(FAULTS) as FaultName[];
  if (list === undefined) return names;
  const words = list.split(',');
  const matches = (name: string, word: string) => name === word || name.split(':').includes(word);
  const unknown = words.find((word) => !names.some((name) => matches(name, word)));
  if (unknown !== undefined) throw new Error(`there is no fault "${unknown}". Choose of ${names.join(', ')}`);
  return names.filter((name) => words.some((word) => matches(name, word)));
}

function positive(option: string, value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new Error(`${option} requires a number above 0`);
  return number;
}

function wholeNumber(option: string, value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`${option} requires a whole number of at least 1`);
  return number;
}
