import { join } from 'node:path';
import { startGuard } from './guard.ts';
import type { LogFile } from './logfile.ts';
import { openLogFile } from './logfile.ts';
import type { Program, ProgramSpec } from './program.ts';
import { createProgram } from './program.ts';
import { summarize } from './summary.ts';

/** What a person at the terminal is told while programs run. */
export type Show = (level: 'info' | 'warn' | 'error', text: string) => void;

/** Programs that are started one after the other and stopped in the opposite order. */
export interface Fleet {
  /** Starts a program and waits for `ready`; rejects when the program ends before that. */
  run: (spec: ProgramSpec, ready: () => Promise<void>) => Promise<void>;
  /** Stops everything, the last started first. */
  stop: () => Promise<void>;
  /** Kills everything at once. */
  kill: () => void;
}

/** Makes a fleet whose programs write to NAME.log in a folder and are ended even when this process is killed. */
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
        // While it is starting, the caller hears of it through `firstDeath` and gives up.
        if (up) show('warn', `${spec.name} ${how}; starting it again in ${restartInMs} ms`);
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
