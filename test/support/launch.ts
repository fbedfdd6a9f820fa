import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';
import { eventually } from './eventually.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Generous: the machine may be busy with other tests. */
const READY_WITHIN_MS = 90_000;
const STOPPED_WITHIN_MS = 40_000;

/** What `local.json` tells of a running service. */
export interface Local {
  base_url: string;
  admin_url: string;
  gateway_admin_url: string;
  operator_admin_url: string;
  ca_file: string;
  api_key: string;
  admin_token: string;
  redis_url: string;
  pid?: number;
}

/** `npm start` as a process. */
export interface Launched {
  readonly pid: number;
  /** What it wrote for a person. */
  output: () => string;
  /** Its exit status, once it has ended. */
  readonly ended: Promise<number | null>;
  /** Resolves when the service is up; fails with the output when it ends before. */
  ready: () => Promise<Local>;
  /** SIGTERM, and SIGKILL when that has no effect; resolves with the exit status. */
  stop: () => Promise<number | null>;
}

/** Starts the service as `npm start` does, after its build. */
export function launch(home: string, env: Readonly<Record<string, string>>): Launched {
  for (const service of ['gateway', 'operator', 'console']) {
    if (existsSync(join(ROOT, service, 'dist/main.js'))) continue;
    throw new Error(`${service}/dist/main.js is missing: run \`npm run build\` first (\`npm test\` does so by itself)`);
  }
  // Nothing of the caller's environment but what programs need: a setting there would change what is tested.
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(ROOT, 'tools/tasks/start.ts')], {
    env: { ...COMPILE_CACHE, PATH, HOME, SVC_ASR_HOME: home, PORT: '0', CONSOLE_PORT: '0', ...env },
    // The channel is how it notices that the test is gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString();
  const ended = new Promise<number | null>((settle) => child.on('close', (code) => settle(code)));

  return {
    pid: child.pid ?? 0,
    output,
    ended,
    ready: () =>
      eventually('the service is up', READY_WITHIN_MS, () => {
        if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}:\n${output()}`);
        const local = readLocal(home);
        // The file of an earlier run names no process, or another.
        return local?.pid === child.pid ? local : undefined;
      }),
    stop: async () => {
      const timer = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
      child.kill('SIGTERM');
      const status = await ended;
      clearTimeout(timer);
      return status;
    },
  };
}

function readLocal(home: string): Local | undefined {
  const file = join(home, 'local.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Local) : undefined;
}
