import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { logFileOf, openLog, readLastLogLine } from './log.ts';

export interface Launch {
  /** Path of the worker program. */
  program: string;
  logFolder: string;
  model: string;
  id: string;
  env: NodeJS.ProcessEnv;
  /** Called once when the worker has ended or could not be started. `how` describes what happened. */
  onEnd: (how: string) => void;
}

/**
 * Starts a worker process with its own log file, and returns its pid. Returns undefined if it could not be started.
 * `onEnd` is called in that case too.
 */
export function launchWorker({ program, logFolder, model, id, env, onEnd }: Launch): ChildProcess['pid'] {
  const log = openLog(logFolder, model, id);
  // The worker has its own process group. A signal to the operator's group, such as Ctrl+C, must not end streams.
  const child = spawn(process.execPath, ['--enable-source-maps', program], {
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  child.once('error', (error) => onEnd(`could not be started: ${error.message}`));
  child.once('exit', (code, signal) => {
    const lastLine = readLastLogLine(logFileOf(logFolder, id));
    const how = signal === null ? `ended with status ${code ?? 0}` : `ended by ${signal}`;
    onEnd(code === 0 || lastLine === '' ? how : `${how}: ${lastLine}`);
  });
  return child.pid;
}
