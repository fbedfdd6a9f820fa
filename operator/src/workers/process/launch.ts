import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { logFileOf, openLog, readLastWords } from './log.ts';

export interface Launch {
  /** The worker's program. */
  program: string;
  logFolder: string;
  model: string;
  id: string;
  env: NodeJS.ProcessEnv;
  /** Hears once how it ended. */
  onEnd: (how: string) => void;
}

/** Starts a worker process with a log of its own; undefined: it could not be started, which `onEnd` hears too. */
export function launchWorker({ program, logFolder, model, id, env, onEnd }: Launch): ChildProcess['pid'] {
  const log = openLog(logFolder, model, id);
  // A group of its own: what ends the operator's group does not end streams.
  const child = spawn(process.execPath, ['--enable-source-maps', program], {
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  child.once('error', (error) => onEnd(`could not be run: ${error.message}`));
  child.once('exit', (code, signal) => {
    const words = readLastWords(logFileOf(logFolder, id));
    const how = signal === null ? `ended with status ${code ?? 0}` : `ended by ${signal}`;
    onEnd(code === 0 || words === '' ? how : `${how}: ${words}`);
  });
  return child.pid;
}
