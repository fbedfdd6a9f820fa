import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';
import { eventually } from './eventually.ts';
import { endAfterFile } from './leftovers.ts';
import { PROGRAMS_VARIABLE, programsFolder } from './programs.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Time limit for the service to become ready. The machine may be busy with other tests. */
const READY_WITHIN_MS = 90_000;
const STOPPED_WITHIN_MS = 40_000;

/** Contents of `local.json` of a running service. */
export interface Local {
  base_url: string;
  admin_url: string;
  console_admin_url: string;
  gateway_admin_url: string;
  operator_admin_url: string;
  ca_file: string;
  api_key: string;
  admin_token: string;
  redis_url: string;
  pid?: number;
}

/** A process of `npm start`. */
export interface Launched {
  readonly pid: number;
  /** Output that the process has printed for its user. */
  output: () => string;
  /** Exit status. Resolves when the process has ended. */
  readonly ended: Promise<number | null>;
  /** Resolves when the service is ready. Rejects with the output if the process ends before that. */
  ready: () => Promise<Local>;
  /** Sends SIGTERM, and SIGKILL if that has no effect. Resolves with the exit status. */
  stop: () => Promise<number | null>;
}

/** Starts the service as `npm start` does. */
export function launch(home: string, env: Readonly<Record<string, string>>): Launched {
  // The environment contains only what programs need, because a setting of the caller would change the test.
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(ROOT, 'tools/tasks/start.ts')], {
    env: {
      ...COMPILE_CACHE,
      PATH,
      HOME,
      [PROGRAMS_VARIABLE]: programsFolder(),
      SVC_ASR_HOME: home,
      PORT: '0',
      CONSOLE_PORT: '0',
      ...env,
    },
    // The service notices by the IPC channel that the test has ended.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString();
  const ended = new Promise<number | null>((settle) => child.on('close', (code) => settle(code)));

  const stop = async () => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
    child.kill('SIGTERM');
    const status = await ended;
    clearTimeout(timer);
    return status;
  };
  endAfterFile(stop);
  return {
    pid: child.pid ?? 0,
    output,
    ended,
    ready: () =>
      eventually('the service is ready', READY_WITHIN_MS, () => {
        if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}:\n${output()}`);
        const local = readLocal(home);
        // The local.json of an earlier run has no pid, or the pid of another process.
        return local?.pid === child.pid ? local : undefined;
      }),
    stop,
  };
}

function readLocal(home: string): Local | undefined {
  const file = join(home, 'local.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Local) : undefined;
}
