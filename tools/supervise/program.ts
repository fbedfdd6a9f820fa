import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { countFailures, restartDelayMs } from './backoff.ts';
import { endGroup, endProcess } from './signals.ts';

/** How to run a program. */
export interface ProgramSpec {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** How long it may take to stop before it is killed. */
  graceMs: number;
}

/** What happens around a program. */
export interface ProgramEvents {
  line: (line: string) => void;
  /** `pid` is undefined when it could not be started at all. */
  started: (pid: number | undefined) => void;
  /** It ended without being asked to, and is started again after the delay. */
  died: (how: string, restartInMs: number) => void;
  ended: (pid: number | undefined) => void;
}

/** A program that is kept running until it is stopped. */
export interface Program {
  readonly name: string;
  start: () => void;
  /** Ends it for good; resolves when it is gone. */
  stop: () => Promise<void>;
  /** Kills it at once. */
  kill: () => void;
  /** Rejects when it ends unasked, `tail` being the last lines it wrote; for as long as it is starting. */
  firstDeath: Promise<never>;
}

/** Thrown when a program ends although nobody stopped it. */
export class ProgramDied extends Error {
  override readonly name = 'ProgramDied';
  readonly tail: readonly string[];
  constructor(message: string, tail: readonly string[]) {
    super(message);
    this.tail = tail;
  }
}

const TAIL_LINES = 10;

/** Makes a program that is restarted with backoff whenever it dies, each in a process group of its own. */
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
    // Detached: Ctrl-C in a terminal goes to the supervisor alone, which then stops everything in order.
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
    running.on('error', (error) => end(`could not be run: ${error.message}`));
    // What it started itself would keep its pipes open.
    running.on('exit', () => {
      if (running.pid !== undefined) endGroup(running.pid);
    });
    // `close` and not `exit`: the last lines have been read by then.
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
