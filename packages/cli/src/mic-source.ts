import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { UsageError } from './exit.ts';
import type { PcmSource } from './pcm-source.ts';
import type { Recorder } from './recorder.ts';

const MAX_COMPLAINT_CHARACTERS = 500;

/** Records from the first time that `chunks` is asked for audio until it is stopped. */
export function openMic({ name, args }: Recorder, env: NodeJS.ProcessEnv): PcmSource {
  let child: ChildProcess | undefined;
  let wasStopped = false;
  const isStopped = () => wasStopped;

  async function* chunks(): AsyncGenerator<Int16Array> {
    if (isStopped()) return;
    // The secrets in the environment are none of a recorder's business.
    const others = Object.fromEntries(Object.entries(env).filter(([variable]) => !variable.startsWith('SVC_ASR_')));
    const recorder = spawn(name, [...args], { env: others, stdio: ['ignore', 'pipe', 'pipe'] });
    child = recorder;
    const ended = outcomeOf(recorder, recorder.stderr);
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of recorder.stdout) {
      const bytes = Buffer.concat([rest, chunk as Buffer]);
      const samples = Math.floor(bytes.length / 2);
      rest = bytes.subarray(samples * 2);
      yield Int16Array.from({ length: samples }, (_, at) => bytes.readInt16LE(at * 2));
    }
    const failure = await ended;
    // Programs differ in how they end when they are told to.
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

/** What went wrong in a program, in its own words; undefined: nothing. */
function outcomeOf(child: ChildProcess, stderr: NodeJS.ReadableStream): Promise<string | undefined> {
  let complaint = '';
  stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-MAX_COMPLAINT_CHARACTERS);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (status) => {
      const said = complaint.trim();
      resolve(status === 0 ? undefined : said === '' ? `it ended with ${status ?? 'a signal'}` : said);
    });
  });
}
