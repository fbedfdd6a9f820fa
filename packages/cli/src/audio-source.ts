import type { Readable } from 'node:stream';
import { AudioFormatError } from '@svc-asr/client';
import { UnsupportedAudioError } from '@svc-asr/decoders';
import { AudioInput } from './audio-input.ts';
import { openDecoded } from './decoded-source.ts';
import { UsageError } from './exit.ts';
import { openProgram } from './pcm-program.ts';
import type { PcmSource } from './pcm-source.ts';
import { isOnPath } from './recorder.ts';
import { explainReadError, openWav } from './wav-source.ts';

export interface AudioOptions {
  /** Path, or `-` for standard input. */
  file: string;
  cwd: string;
  stdin: Readable;
  env: NodeJS.ProcessEnv;
  /** Called with notes about the file. */
  note: (text: string) => void;
}

/**
 * Opens a file and reads its start, so that an unusable file fails before a session is created. WAV, FLAC and Ogg
 * Opus are decoded here, and other formats by ffmpeg if it is installed.
 */
export async function openAudio({ file, cwd, stdin, env, note }: AudioOptions): Promise<PcmSource> {
  const input = new AudioInput(file, cwd, stdin);
  try {
    return await openWav(input, note);
  } catch (error) {
    if (!(error instanceof AudioFormatError) || (await isEmpty(input))) {
      input.destroy();
      throw explainReadError(input.name, error);
    }
    const decoded = await openDecoded(input).catch((problem: unknown) => {
      if (problem instanceof UnsupportedAudioError) return undefined;
      input.destroy();
      throw explainReadError(input.name, problem);
    });
    if (decoded !== undefined) return decoded;
    input.rewind();
    if (isOnPath('ffmpeg', env, process.platform)) return await convert(input, env);
    input.destroy();
    throw new UsageError(
      `cannot use ${input.name}: ${error.message}. If ffmpeg is installed, svc-asr converts such files itself.`,
    );
  }
}

async function isEmpty(input: AudioInput): Promise<boolean> {
  input.rewind();
  const bytes = await input.next();
  input.rewind();
  return bytes === undefined;
}

/** Converts a file with ffmpeg. Waits for the first audio, so that an unreadable file fails here. */
async function convert(input: AudioInput, env: NodeJS.ProcessEnv): Promise<PcmSource> {
  const { path, name } = input;
  input.keep();
  if (path !== undefined) input.destroy();
  const source = openProgram({
    name: 'ffmpeg',
    args: ffmpegArguments(path),
    env,
    ...(path === undefined ? { input: input.rest() } : {}),
    failure: `ffmpeg cannot read ${name}`,
  });
  const chunks = source.chunks[Symbol.asyncIterator]();
  const first = await chunks.next().catch((error: unknown) => {
    input.destroy();
    throw error;
  });
  async function* whole(): AsyncGenerator<Int16Array> {
    for (let next = first; next.done !== true; next = await chunks.next()) yield next.value;
  }
  return {
    totalSamples: undefined,
    chunks: whole(),
    isStopped: source.isStopped,
    stop: () => {
      source.stop();
      input.destroy();
    },
  };
}

function ffmpegArguments(path: string | undefined): string[] {
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin'],
    // A playlist must not make ffmpeg read from the network.
    ...['-protocol_whitelist', 'file,pipe'],
    ...['-i', path === undefined ? 'pipe:0' : `file:${path}`],
    ...['-map', '0:a:0', '-ac', '1', '-ar', '16000', '-f', 's16le', 'pipe:1'],
  ];
}
