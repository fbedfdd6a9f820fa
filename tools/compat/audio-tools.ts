import { execFile } from 'node:child_process';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePythonEnvironment } from '../install/python.ts';
import { root } from '../launch/terminal.mjs';

const FOLDER = join(root, 'test/compat/audio');
const runFile = promisify(execFile);

/** Encodes WAV files and writes the encoded files to `folder`. Returns the paths of the encoded files. */
export async function encodeFiles(
  format: 'flac' | 'opus',
  folder: string,
  files: readonly string[],
): Promise<string[]> {
  await runAudioTool('encode.py', [format, folder, ...files]);
  return files.map((file) => join(folder, `${basename(file, extname(file))}.${format}`));
}

/**
 * Resamples WAV files with soxr and writes the results to `folder` under the same names. Returns the paths of the
 * results.
 */
export async function resampleFiles(rate: number, folder: string, files: readonly string[]): Promise<string[]> {
  await runAudioTool('resample.py', [String(rate), folder, ...files]);
  return files.map((file) => join(folder, basename(file)));
}

/** Runs a program of test/compat/audio with its pinned packages. */
async function runAudioTool(program: string, args: readonly string[]): Promise<void> {
  const { python } = await ensurePythonEnvironment(join(FOLDER, 'requirements.lock'), false);
  await runFile(python, [join(FOLDER, program), ...args]);
}
