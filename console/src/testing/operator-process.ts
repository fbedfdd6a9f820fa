import { spawn } from 'node:child_process';
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts';
import { killAfterFile } from '../../../test/support/leftovers.ts';
import { programFile } from '../../../test/support/programs.ts';

/** The real operator in its own process. */
export interface OperatorProcess {
  /** Returns the log output of the operator. */
  output: () => string;
  stop: () => Promise<void>;
}

/** Starts the operator. */
export function startOperatorProcess(settings: Record<string, string>): OperatorProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [programFile('operator')], {
    env: { ...COMPILE_CACHE, PATH, HOME, LOG_LEVEL: 'debug', ADMIN_HOST: '127.0.0.1', ADMIN_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killAfterFile(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
