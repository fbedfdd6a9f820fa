import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A recording program with the arguments that make it write raw PCM to standard output. */
export interface Recorder {
  name: string;
  args: readonly string[];
}

const SOX_RAW = ['-t', 'raw', '-b', '16', '-e', 'signed-integer', '-L', '-r', '16000', '-c', '1', '-'];
const ffmpeg = (...input: string[]): Recorder => ({
  name: 'ffmpeg',
  args: ['-hide_banner', '-loglevel', 'error', '-nostdin', ...input, '-ac', '1', '-ar', '16000', '-f', 's16le', '-'],
});
const SOX: readonly Recorder[] = [
  { name: 'rec', args: ['-q', ...SOX_RAW] },
  { name: 'sox', args: ['-q', '-d', ...SOX_RAW] },
];

/** Returns the recorders of a platform in the order in which they are tried. */
export function recordersFor(platform: string): readonly Recorder[] {
  if (platform === 'darwin') return [...SOX, ffmpeg('-f', 'avfoundation', '-i', ':default')];
  if (platform === 'win32') return [{ name: 'sox', args: ['-q', '-t', 'waveaudio', 'default', ...SOX_RAW] }];
  return [
    { name: 'arecord', args: ['-q', '-t', 'raw', '-f', 'S16_LE', '-r', '16000', '-c', '1'] },
    { name: 'parec', args: ['--raw', '--format=s16le', '--rate=16000', '--channels=1', '--latency-msec=100'] },
    ...SOX,
    ffmpeg('-f', 'pulse', '-i', 'default'),
  ];
}

/** Returns the first installed recorder. */
export function findRecorder(
  recorders: readonly Recorder[],
  isInstalled: (name: string) => boolean,
): Recorder | undefined {
  return recorders.find(({ name }) => isInstalled(name));
}

/** Reports whether a program is on PATH. */
export function isOnPath(name: string, env: NodeJS.ProcessEnv, platform: string): boolean {
  const file = platform === 'win32' ? `${name}.exe` : name;
  return (env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, file), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
