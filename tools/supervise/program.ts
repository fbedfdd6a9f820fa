import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { endGroup, endProcess } from './signals.ts';

/** How to run a program. */
export interface ProgramSpec {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Time from the request to stop until the program is killed. */
  graceMs: number;
}

/** Callbacks for the life of a program. */
export interface ProgramEvents {
  line: (line: string) => void;
  /** `pid` is undefined if the program could not be started. */
  started: (pid: number | undefined) => void;
  /** Called when the program ended unexpectedly. The program is restarted after the delay. */
  died: (how: string, restartInMs: number) => void;
  ended: (pid: number | undefined) => void;
}

/** A program that is restarted whenever it ends, until `stop` or `kill` is called. */
export interface Program {
  readonly name: string;
  start: () => void;
  /** Stops the program for good. Resolves when it has ended. */
  stop: () => Promise<void>;
  /** Kills the program immediately, without its grace period. */
  kill: () => void;
  /** Rejects with ProgramDied when the program ends unexpectedly for the first time. */
  firstDeath: Promise<never>;
}

/** Thrown when a program ends unexpectedly. `tail` contains its last log lines. */
export class ProgramDied extends Error {
  override readonly name = 'ProgramDied';
  readonly tail: readonly string[];
  constructor(message: string, tail: readonly string[]) {
    super(message);
    this.tail = tail;
  }
}

const TAIL_LINES = 10;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** Run time of a program after which its earlier failures no longer count. */
const WELL_AFTER_MS = 30_000;

/** Creates a program that is restarted with backoff when it ends unexpectedly. Each run has its own process group. */
export function createProgram(spec: ProgramSpec, events: ProgramEvents): Program {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let failures = 0;
  const tail: string[] = [];
  let reportDeath: (death: ProgramDied) => void = () => undefined;
  const firstDeath = new Promise<never>((_, reject) => (reportDeath = reject));
  firstDeath.catch(() => undefined);

  function start(): void {
    const startedAt = performance.now();
    // Detached, so that Ctrl-C in a terminal reaches only the supervisor, which stops the programs in order.
    const running = spawn(spec.command, spec.args, {
      env: spec.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = running;
    for (const stream of [running.stdout, running.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        tail.push(line);
        if (tail.length > TAIL_LINES) tail.shift();
        events.line(line);
      });
    }
    events.started(running.pid);
    let over = false;
    const end = (how: string) => {
      if (over) return;
      over = true;
      child = undefined;
      events.ended(running.pid);
      if (stopping) return;
      failures = countFailures(failures, performance.now() - startedAt);
      const delayMs = restartDelayMs(failures);
      reportDeath(new ProgramDied(`${spec.name} ${how}`, [...tail]));
      events.died(how, delayMs);
      timer = setTimeout(start, delayMs);
    };
    running.on('error', (error) => end(`could not be started: ${error.message}`));
    // Ends the child processes of the program, which would otherwise keep its pipes open.
    running.on('exit', () => {
      if (running.pid !== undefined) endGroup(running.pid);
    });
    // Uses `close` instead of `exit`, because all output has been read by then.
    running.on('close', (code, signal) =>
      end(signal === null ? `ended with status ${code ?? 0}` : `ended by ${signal}`),
    );
  }

  return {
    name: spec.name,
    firstDeath,
    start,
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      if (child !== undefined) await endProcess(child, spec.graceMs);
    },
    kill: () => {
      stopping = true;
      clearTimeout(timer);
      if (child?.pid !== undefined) endGroup(child.pid);
    },
  };
}

/**
 * Returns the number of consecutive failures, including the latest one. The count restarts at 1 if the program has run
 * for WELL_AFTER_MS.
 */
export function countFailures(before: number, ranForMs: number): number {
  return ranForMs >= WELL_AFTER_MS ? 1 : before + 1;
}

/** Returns the delay before a program is restarted, by its number of consecutive failures. */
export function restartDelayMs(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), LONGEST_DELAY_MS);
}
