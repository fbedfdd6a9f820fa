import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { pipeline } from 'node:stream/promises';
import { UsageError } from './exit.ts';
import type { PcmSource } from './pcm-source.ts';

const MAX_ERROR_CHARACTERS = 500;

/** A program that writes PCM16 at 16,000 Hz to standard output. */
export interface PcmProgram {
  name: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Standard input of the program. Empty if absent. */
  input?: AsyncIterable<Uint8Array>;
  /** Start of the error message if the program fails, for example "parec could not record". */
  failure: string;
}

/** Returns the audio of a program. The program starts at the first read of `chunks` and ends with `stop`. */
export function openProgram({ name, args, env, input, failure }: PcmProgram): PcmSource {
  let child: ChildProcess | undefined;
  let wasStopped = false;
  const isStopped = () => wasStopped;

  async function* chunks(): AsyncGenerator<Int16Array> {
    if (isStopped()) return;
    const program = spawn(name, [...args], { env: withoutSecrets(env), stdio: ['pipe', 'pipe', 'pipe'] });
    child = program;
    const ended = outcomeOf(program, program.stderr);
    // A program that has read enough closes its input, which is not an error.
    if (input === undefined) program.stdin.end();
    else void pipeline(input, program.stdin).catch(() => undefined);
    let remainder: Buffer = Buffer.alloc(0);
    for await (const chunk of program.stdout) {
      const bytes = Buffer.concat([remainder, chunk as Buffer]);
      const samples = Math.floor(bytes.length / 2);
      remainder = bytes.subarray(samples * 2);
      yield Int16Array.from({ length: samples }, (_, at) => bytes.readInt16LE(at * 2));
    }
    const problem = await ended;
    // A failure after a requested stop is ignored, because programs differ in the exit status that they return then.
    if (problem !== undefined && !isStopped()) throw new UsageError(`${failure}: ${problem}`);
  }

  return {
    totalSamples: undefined,
    chunks: chunks(),
    isStopped,
    stop: () => {
      wasStopped = true;
      child?.kill('SIGTERM');
    },
  };
}

/** Returns the environment without the secrets of the command. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([variable]) => !variable.startsWith('SVC_ASR_')));
}

/** Resolves with the error output of a failed program. Undefined if it succeeded. */
function outcomeOf(child: ChildProcess, stderr: NodeJS.ReadableStream): Promise<string | undefined> {
  let errorOutput = '';
  stderr.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-MAX_ERROR_CHARACTERS);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (status) => {
      const text = errorOutput.trim();
      resolve(status === 0 ? undefined : text === '' ? `it exited with ${status ?? 'a signal'}` : text);
    });
  });
}
