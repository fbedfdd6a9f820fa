import { join } from 'node:path';
import { startGuard } from './guard.ts';
import type { LogFile } from './logfile.ts';
import { openLogFile } from './logfile.ts';
import type { Program, ProgramSpec } from './program.ts';
import { createProgram } from './program.ts';
import { summarize } from './summary.ts';

/** Shows a line to the user at the terminal. */
export type Show = (level: 'info' | 'warn' | 'error', text: string) => void;

/** Programs that are started one after the other and stopped in reverse order. */
export interface Fleet {
  /** Starts a program and waits for `ready`. Rejects if the program ends before it is ready. */
  run: (spec: ProgramSpec, ready: () => Promise<void>) => Promise<void>;
  /** Stops all programs in reverse order. */
  stop: () => Promise<void>;
  /** Kills all programs immediately, without a grace period. */
  kill: () => void;
}

/** Creates a fleet. Its programs log to NAME.log in a folder, and a guard ends them if this process is killed. */
export function createFleet(options: { logFolder: string; node: string; show: Show }): Fleet {
  const { show } = options;
  const guard = startGuard(options.node);
  const programs: Program[] = [];
  const logs: LogFile[] = [];

  async function run(spec: ProgramSpec, ready: () => Promise<void>): Promise<void> {
    const log = openLogFile(join(options.logFolder, `${spec.name}.log`));
    logs.push(log);
    let up = false;
    const program = createProgram(spec, {
      line: (line) => {
        log.write(line);
        const summary = summarize(line);
        if (summary !== undefined) show(summary.level, `${spec.name}: ${summary.text}`);
      },
      started: (pid) => {
        if (pid !== undefined) guard.watch(pid);
      },
      ended: (pid) => {
        if (pid !== undefined) guard.forget(pid);
      },
      died: (how, restartInMs) => {
        // During the start, nothing is shown here, because `run` rejects through `firstDeath`.
        if (up) show('warn', `${spec.name} ${how}; restarting it in ${restartInMs} ms`);
      },
    });
    programs.push(program);
    program.start();
    await Promise.race([ready(), program.firstDeath]);
    up = true;
  }

  return {
    run,
    stop: async () => {
      for (const program of programs.toReversed()) await program.stop();
      for (const log of logs) log.close();
      guard.close();
    },
    kill: () => {
      for (const program of programs.toReversed()) program.kill();
      guard.close();
    },
  };
}
