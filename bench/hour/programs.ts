import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../tools/launch/terminal.mjs';
import type { Segment } from './balance.ts';

/** A client of the service that transcribes a file in a separate process. */
export interface LongClient {
  readonly name: string;
  readonly command: readonly string[];
  readonly segmentsOf: (output: string) => Segment[];
}

export interface ProgramOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly caFile: string;
}

const segmentsOf = (output: string): Segment[] => JSON.parse(output) as Segment[];

/** Returns the commands that transcribe a file. `python` is an interpreter that has the Python package installed. */
export function longClients(python: string, file: string, model: string): LongClient[] {
  const cli = join(root, 'packages/cli/bin/svc-asr.js');
  return [
    {
      name: 'cli',
      command: [process.execPath, cli, 'transcribe', file, '--model', model, '--format', 'json'],
      segmentsOf: (output) => (JSON.parse(output) as { segments: Segment[] }).segments,
    },
    {
      name: 'typescript',
      command: [process.execPath, join(import.meta.dirname, 'long-program.ts'), file, model],
      segmentsOf,
    },
    { name: 'python', command: [python, join(import.meta.dirname, 'long_program.py'), file, model], segmentsOf },
  ];
}

/** Transcribes ranges of a file with one native session each. */
export async function transcribeRanges(
  options: ProgramOptions,
  file: string,
  model: string,
  ranges: readonly Segment[],
): Promise<string[]> {
  const list = JSON.stringify(ranges.map(({ start_ms: start, end_ms: end }) => [start, end]));
  const program = join(import.meta.dirname, 'native-program.ts');
  return JSON.parse(await runProgram(options, [process.execPath, program, file, model, list])) as string[];
}

/** Transcribes a file in native sessions, and ends utterances by the same rules as the file route. */
export async function transcribeUtterances(options: ProgramOptions, file: string, model: string): Promise<Segment[]> {
  const program = join(import.meta.dirname, 'utterance-program.ts');
  return segmentsOf(await runProgram(options, [process.execPath, program, file, model]));
}

/** Runs a program and returns its output. If the program fails, throws an error that contains its error output. */
export async function runProgram(
  { baseUrl, apiKey, caFile }: ProgramOptions,
  [command = '', ...args]: readonly string[],
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command, args, {
    env: {
      PATH,
      HOME,
      SVC_ASR_BASE_URL: baseUrl,
      SVC_ASR_API_KEY: apiKey,
      SVC_ASR_CA_FILE: caFile,
      NODE_EXTRA_CA_CERTS: caFile,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = [[] as Buffer[], [] as Buffer[]];
  child.stdout.on('data', (data: Buffer) => output.push(data));
  child.stderr.on('data', (data: Buffer) => errors.push(data));
  const status = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (status !== 0) throw new Error(`${command} ended with ${String(status)}: ${Buffer.concat(errors).toString()}`);
  return Buffer.concat(output).toString();
}
