import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { enter, WHOLE_NODE } from './namespaces.ts';
import type { Rooms } from './namespaces.ts';
import type { ClusterPlan } from './plan.ts';
import { amendState, recordOf } from './state.ts';
import type { ProcessRecord } from './state.ts';

/** Generous: the machine may be busy. */
const READY_WITHIN_MS = 180_000;
const POLL_MS = 100;
const TAIL_LINES = 20;

/** A program of a cluster. */
export interface ProgramSpec {
  name: string;
  /** The first process of the node that it runs in. */
  init: ProcessRecord;
  rooms?: Rooms;
  command: readonly [string, ...string[]];
  env?: Readonly<Record<string, string>>;
  /** Whether it does its work. */
  isReady: () => Promise<boolean>;
}

/** Starts a program that goes on when this process ends, and waits until it does its work. Its log is NAME.log. */
export async function startProgram(plan: ClusterPlan, spec: ProgramSpec): Promise<void> {
  mkdirSync(plan.logs, { recursive: true });
  const file = join(plan.logs, `${spec.name}.log`);
  const log = openSync(file, 'a', 0o600);
  const [command, ...args] = [...enter(spec.init, spec.rooms ?? WHOLE_NODE), ...spec.command] as [string, ...string[]];
  const child = spawn(command, args, {
    cwd: plan.folder,
    env: { ...process.env, ...spec.env },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let ended: string | undefined;
  child.on('error', (error) => (ended = `could not be run: ${error.message}`));
  child.on('exit', (code, signal) => (ended = `ended with ${code ?? signal ?? ''}`));
  child.unref();
  const { pid } = child;
  if (pid !== undefined) {
    amendState(plan.state, ({ programs }) => ({ programs: [...programs, recordOf(spec.name, pid)] }));
  }
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await spec.isReady().catch(() => false))) {
    if (performance.now() > deadline) ended ??= `was not ready within ${READY_WITHIN_MS / 1000} s`;
    if (ended !== undefined) throw new Error(`${spec.name} ${ended}; the end of its log ${file}:\n${tail(file)}`);
    await sleep(POLL_MS);
  }
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}
