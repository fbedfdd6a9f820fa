import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../../start/ready.ts';
import { enter } from './node-namespaces.ts';
import type { Namespaces } from './node-namespaces.ts';
import type { ClusterPlan } from './plan.ts';
import { recordOf, updateState } from './state.ts';
import type { ProcessRecord } from './state.ts';

/** Longest time until a program is ready, also on a busy machine. */
const READY_TIMEOUT_MS = 180_000;
const TAIL_LINES = 20;

/** A program with its arguments. */
export type Command = readonly [string, ...string[]];

/** A program of a cluster. */
export interface ProgramSpec {
  name: string;
  /** First process of the node that the program runs in. */
  init: ProcessRecord;
  /** Namespaces of the node that the program runs in. Default: all of them. */
  namespaces?: Namespaces;
  command: Command;
  env?: Readonly<Record<string, string>>;
  /** Returns whether the program is ready. Without this function, `startProgram` does not wait. */
  isReady?: () => Promise<boolean>;
}

/** Starts a program that keeps running after this process ends, and waits until it is ready. Logs to NAME.log. */
export async function startProgram(plan: ClusterPlan, spec: ProgramSpec): Promise<void> {
  mkdirSync(plan.logs, { recursive: true });
  const file = join(plan.logs, `${spec.name}.log`);
  const log = openSync(file, 'a', 0o600);
  const [command, ...args] = [...enter(spec.init, spec.namespaces), ...spec.command] as [string, ...string[]];
  const child = spawn(command, args, {
    cwd: plan.folder,
    env: { ...process.env, ...spec.env },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let failure: string | undefined;
  child.on('error', (error) => (failure = `could not be started: ${error.message}`));
  child.on('exit', (code, signal) => (failure = `ended with ${code ?? signal ?? ''}`));
  child.unref();
  const { pid } = child;
  if (pid !== undefined) {
    updateState(plan.state, ({ programs }) => ({ programs: [...programs, recordOf(spec.name, pid)] }));
  }
  const { isReady = () => Promise.resolve(true) } = spec;
  const describeProblem = async () => {
    if (await isReady().catch(() => false)) return undefined;
    if (failure !== undefined) throw new Error(`${spec.name} ${failure}; the end of its log ${file}:\n${tail(file)}`);
    return `it is not ready; the end of its log ${file}:\n${tail(file)}`;
  };
  await waitUntil(spec.name, describeProblem, READY_TIMEOUT_MS);
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}
