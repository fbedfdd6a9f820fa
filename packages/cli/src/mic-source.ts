import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { UsageError } from './exit.ts';
import type { PcmSource } from './pcm-source.ts';
import type { Recorder } from './recorder.ts';

const MAX_ERROR_CHARACTERS = 500;

/** Records from the first read of `chunks` until `stop`. */
export function openMic({ name, args }: Recorder, env: NodeJS.ProcessEnv): PcmSource {
  let child: ChildProcess | undefined;
  let wasStopped = false;
  const isStopped = () => wasStopped;

  async function* chunks(): AsyncGenerator<Int16Array> {
    if (isStopped()) return;
    // The recorder must not receive the secrets in the environment.
    const publicEnv = Object.fromEntries(Object.entries(env).filter(([variable]) => !variable.startsWith('SVC_ASR_')));
    const recorder = spawn(name, [...args], { env: publicEnv, stdio: ['ignore', 'pipe', 'pipe'] });
    child = recorder;
    const ended = outcomeOf(recorder, recorder.stderr);
    let remainder: Buffer = Buffer.alloc(0);
    for await (const chunk of recorder.stdout) {
      const bytes = Buffer.concat([remainder, chunk as Buffer]);
      const samples = Math.floor(bytes.length / 2);
      remainder = bytes.subarray(samples * 2);
      yield Int16Array.from({ length: samples }, (_, at) => bytes.readInt16LE(at * 2));
    }
    const failure = await ended;
    // The exit status after a requested stop differs between programs.
    if (failure !== undefined && !isStopped()) throw new UsageError(`${name} could not record: ${failure}`);
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
