import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guard } from '../../../tools/supervise/guard.ts';
import { freePort } from '../ports.ts';

/** Time limit for a server to become ready. The machine may be busy with other tests. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 50;
const TAIL_LINES = 30;
const TRIES = 5;

/** Folder and guard of a server. */
export interface Place {
  /** Folder for the data and the log of the server. */
  folder: string;
  /** Ends the server if the test process is killed. */
  guard: Guard;
}

/** Program to run and how to check that it is ready. */
export interface ServerSpec {
  name: string;
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  isReady: () => Promise<boolean>;
}

/** A running server process. */
export interface Server {
  readonly pid: number;
  /** Ends the process by SIGKILL. */
  kill: () => Promise<void>;
}

/** Thrown when another program uses the port. */
class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** Starts a server and waits until it is ready. It logs to NAME.log in the folder. */
export async function startServer(spec: ServerSpec, { folder, guard }: Place): Promise<Server> {
  const file = join(folder, `${spec.name}.log`);
  const log = openSync(file, 'a', 0o600);
  // `detached` gives the server its own process group, which the guard ends if this process is killed.
  const child = spawn(spec.command, spec.args, {
    cwd: folder,
    detached: true,
    // With a large GOGC, Go collects garbage rarely, which saves a sixth of the start time.
    env: { ...process.env, GOGC: '400', ...spec.env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  // The test files of a jest worker may share the server. It must not keep the process of the jest worker alive.
  child.unref();
  const { pid } = child;
  const exited = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`could not be run: ${error.message}`));
    child.on('exit', (code, signal) => resolve(`ended with ${code ?? signal ?? ''}`));
  });
  if (pid !== undefined) guard.watch(pid);
  void exited.then(() => pid !== undefined && guard.forget(pid));
  const kill = async () => {
    child.ref();
    child.kill('SIGKILL');
    await exited;
  };
  const waiting = new AbortController();
  const problem = await Promise.race([exited, untilReady(spec, waiting.signal)]);
  waiting.abort();
  if (problem === undefined) return { pid: pid ?? 0, kill };
  await kill();
  const tail = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  const message = `${spec.name} ${problem}; the end of its log ${file}:\n${tail}`;
  throw tail.includes('address already in use') ? new PortTaken(message) : new Error(message);
}

/** Starts a server on a free port. If another program takes the port first, tries the next one. */
export async function startOnFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (!(error instanceof PortTaken) || left === 1) throw error;
    }
  }
}

/** Resolves with undefined once the server is ready, or with a description of the problem after the timeout. */
async function untilReady({ isReady }: ServerSpec, signal: AbortSignal): Promise<string | undefined> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await isReady()) && !signal.aborted) {
    if (performance.now() > deadline) return `was not ready within ${READY_WITHIN_MS / 1000} s`;
    await sleep(POLL_MS);
  }
  return undefined;
}
