import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { ProcessClock } from '../../../test/support/clock/process-clock.ts';
import { endProcess, hasEnded } from '../../../test/support/leftovers.ts';

/** How to start one process of the service. */
export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Returns the environment of the next start. */
  readonly env: () => NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Called when the process has ended by itself. The process is then started again. */
  readonly onCrash: (status: string) => void;
}

const RESTART_MS = 500;

/** Processes of this run. A run that is interrupted must leave none behind. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** A process that is restarted if it ends by itself, as Kubernetes restarts containers. */
export class SupervisedProcess {
  readonly #spec: ProcessSpec;
  #child: ChildProcess | undefined;
  #isWanted = false;

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && !hasEnded(this.#child);
  }

  start(): void {
    const { command, args, env, logFile, onCrash } = this.#spec;
    const log = openSync(logFile, 'a');
    const child = spawn(command, args, { env: env(), stdio: ['ignore', log, log] });
    closeSync(log);
    this.#child = child;
    this.#isWanted = true;
    children.add(child);
    child.once('exit', (code, signal) => {
      children.delete(child);
      if (!this.#isWanted || this.#child !== child) return;
      onCrash(signal ?? `status ${code}`);
      setTimeout(() => {
        if (this.#isWanted && this.#child === child) this.start();
      }, RESTART_MS);
    });
  }

  /** Ends the process. It is not restarted until `start` is called. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false;
    if (this.#child !== undefined) await endProcess(this.#child, signal);
  }

  /** Sends a signal. Does nothing if the process has ended. */
  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child?.kill(signal);
  }
}

/** Ends a fault. */
export type Heal = () => Promise<void> | void;

/** Kills a process. Returns the function that starts it again. */
export async function kill(process: SupervisedProcess): Promise<Heal> {
  await process.end('SIGKILL');
  return () => process.start();
}

/** Steps the clock of a process. Returns the function that steps it back. */
export function step(clock: ProcessClock, ms: number): Heal {
  clock.set(ms);
  return () => clock.set(0);
}

/** Suspends a process. Returns the function that resumes it. */
export function suspend(process: SupervisedProcess): Heal {
  process.signal('SIGSTOP');
  return () => process.signal('SIGCONT');
}
