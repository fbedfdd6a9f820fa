import { randomBytes } from 'node:crypto';
import type { AsrModel } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import { countCrash, describeCrashes, hasRecovered } from '../crashes.ts';
import type { Crashes } from '../crashes.ts';
import type { DesiredWorkers, RunningWorker, RuntimeListener, StartFailure, WorkerRuntime } from '../runtime.ts';
import { buildTemplate } from '../template.ts';
import type { Revision, WorkerTemplate } from '../template.ts';
import { endWorker } from './end.ts';
import { buildEnvironment, findArtifactProblem } from './environment.ts';
import type { EnvironmentOptions } from './environment.ts';
import { startGuard } from './guard.ts';
import type { Guard } from './guard.ts';
import { identityOf } from './identity.ts';
import { launchWorker } from './launch.ts';
import { takeOwnership } from './owner.ts';
import { isOurs, openRecords } from './records.ts';
import type { Records, WorkerProcess } from './records.ts';

/** Time between two checks of processes that an earlier operator started. This process gets no exit event for them. */
const ADOPTED_POLL_MS = 500;
/** Time that the workers of a killed operator continue to run before the guard ends them. */
const TAKE_OVER_MS = 60_000;

export interface ProcessRuntimeOptions extends EnvironmentOptions {
  program: string;
  stateFolder: string;
  logFolder: string;
  logger: Logger;
  /** Milliseconds of a monotonic clock. */
  nowMs: () => number;
}

interface Entry {
  record: WorkerProcess;
  /** Time at which the process was started, or adopted from an earlier operator. */
  startedMs: number;
  adopted: boolean;
  readyAtMs: number | undefined;
  /** Set once the process was asked to stop. Resolves when it has ended. */
  ending: Promise<void> | undefined;
}

/**
 * Runs workers as processes on this machine. If the operator is killed, they keep running for `TAKE_OVER_MS`, so that
 * the next operator can adopt them.
 */
export class ProcessRuntime implements WorkerRuntime {
  readonly #options: ProcessRuntimeOptions;
  readonly #records: Records;
  readonly #entries = new Map<string, Entry>();
  readonly #crashes = new Map<string, Crashes>();
  /** Templates by revision. Workers of an older revision may have to be started during a rollout. */
  readonly #templates = new Map<string, WorkerTemplate>();
  #listener: Pick<RuntimeListener, 'onEnded'> = { onEnded: () => undefined };
  #poll: NodeJS.Timeout | undefined;
  #guard: Guard | undefined;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    this.#records = openRecords(options.stateFolder);
  }

  open(listener: RuntimeListener): void {
    this.#listener = listener;
    takeOwnership(this.#options.stateFolder);
    for (const record of this.#records.read()) this.#adopt(record);
    if (this.#entries.size > 0) this.#startGuard();
    this.#poll = setInterval(() => {
      for (const entry of this.#entries.values()) {
        if (entry.adopted && !isOurs(entry.record)) this.#ended(entry, 'ended');
      }
    }, ADOPTED_POLL_MS);
  }

  buildTemplate(model: AsrModel, guests?: readonly AsrModel[]): WorkerTemplate {
    return buildTemplate(model, guests);
  }

  models(): string[] {
    return [...new Set([...this.#entries.values()].map(({ record }) => record.model))];
  }

  list(model: string): RunningWorker[] {
    const nowMs = this.#options.nowMs();
    return [...this.#entries.values()]
      .filter(({ record }) => record.model === model)
      .map(({ record: { id, revision }, startedMs, ending }) => ({
        id,
        model,
        revision,
        ageMs: nowMs - startedMs,
        stopping: ending !== undefined,
      }));
  }

  /** Uses only the fields `template`, `counts` and `stop`. The other fields are for clusters. */
  apply(model: string, { template, counts, stop }: DesiredWorkers): void {
    if (template !== undefined && counts.has(template.revision)) this.#templates.set(keyOf(template), template);
    for (const [revision, count] of counts) {
      const known = this.#templates.get(keyOf({ model, revision }));
      if (known !== undefined) this.#startMissing(known, count);
    }
    for (const { id, failure } of stop) this.#stop(id, failure);
    this.#forgetRevisions(model, counts);
  }

  confirm(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.readyAtMs ??= this.#options.nowMs();
  }

  startFailure(of: Revision): StartFailure | undefined {
    const template = this.#templates.get(keyOf(of));
    const problem = template && findArtifactProblem(template);
    if (problem !== undefined) return { reason: 'ArtifactUnsupported', message: problem };
    const message = describeCrashes(this.#crashes.get(keyOf(of)));
    return message === undefined ? undefined : { reason: 'CrashLoop', message };
  }

  /** Returns no nodes, because all workers run on this machine. */
  failingNodes(): string[] {
    return [];
  }

  /**
   * Returns undefined, because no rollout state is stored. A restarted operator has lost the template of the previous
   * revision and could not roll back to it. It therefore tries a rejected revision again instead of serving nothing.
   */
  storedRollout(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    for (const entry of this.#entries.values()) this.#end(entry);
    await Promise.all([...this.#entries.values()].flatMap(({ ending }) => ending ?? []));
    this.#guard?.close();
  }

  #startMissing(template: WorkerTemplate, count: number): void {
    if (findArtifactProblem(template) !== undefined) return;
    const key = keyOf(template);
    const nowMs = this.#options.nowMs();
    const present = [...this.#entries.values()].filter(
      ({ record, ending }) => keyOf(record) === key && ending === undefined,
    );
    const known = this.#crashes.get(key);
    if (known !== undefined && present.some((entry) => hasRecovered(known, entry, nowMs))) this.#crashes.delete(key);
    const missing = Math.min(count - present.length, countStartable(this.#crashes.get(key), present, nowMs));
    for (let started = 0; started < missing; started++) this.#start(template);
  }

  #start(template: WorkerTemplate): void {
    const { program, logFolder, logger, nowMs } = this.#options;
    const { model, revision } = template;
    const id = `${model}-${randomBytes(4).toString('hex')}`;
    const record: WorkerProcess = { id, model, revision, pid: 0, identity: '', startedAtMs: Date.now() };
    const entry: Entry = { record, startedMs: nowMs(), adopted: false, readyAtMs: undefined, ending: undefined };
    this.#entries.set(id, entry);
    const onEnd = (how: string) => this.#ended(entry, how);
    let pid: number | undefined;
    try {
      const env = buildEnvironment(template, id, this.#options);
      pid = launchWorker({ program, logFolder, model, id, env, onEnd });
    } catch (error) {
      onEnd(`could not be started: ${String(error)}`);
    }
    if (pid === undefined) return;
    this.#startGuard();
    entry.record = { ...record, pid, identity: identityOf(pid) ?? '' };
    this.#records.put(entry.record);
    logger.info({ model, reason: revision }, `worker ${id} started as process ${pid}`);
  }

  #adopt(record: WorkerProcess): void {
    const { logger, nowMs } = this.#options;
    const { id, model, pid } = record;
    if (isOurs(record)) {
      this.#entries.set(id, {
        record,
        startedMs: nowMs(),
        adopted: true,
        readyAtMs: undefined,
        ending: undefined,
      });
      logger.info({ model }, `worker ${id} of an earlier operator adopted, process ${pid}`);
      return;
    }
    this.#records.remove(id);
    this.#listener.onEnded({ id, model, how: 'ended while no operator was running', requested: false });
  }

  #stop(id: string, failure: string | undefined): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.ending !== undefined) return;
    if (failure !== undefined) this.#countCrash(entry, failure);
    this.#end(entry);
  }

  #end(entry: Entry): void {
    entry.ending ??= endWorker(entry.record, this.#options.stopGraceMs).then(() =>
      this.#ended(entry, 'ended as requested'),
    );
  }

  #ended(entry: Entry, how: string): void {
    const { id, model } = entry.record;
    if (!this.#entries.delete(id)) return;
    this.#records.remove(id);
    const requested = entry.ending !== undefined;
    if (requested) this.#options.logger.info({ model }, `worker ${id} ${how}`);
    else this.#countCrash(entry, how);
    this.#listener.onEnded({ id, model, how, requested });
  }

  #countCrash({ record, readyAtMs }: Entry, how: string): void {
    const { logger, nowMs } = this.#options;
    const key = keyOf(record);
    const readyForMs = readyAtMs === undefined ? undefined : nowMs() - readyAtMs;
    const crashes = countCrash(this.#crashes.get(key), { how, readyForMs, nowMs: nowMs() });
    this.#crashes.set(key, crashes);
    logger.warn({ model: record.model, reason: how, amount: crashes.failures }, `worker ${record.id} ${how}`);
  }

  #forgetRevisions(model: string, needed: DesiredWorkers['counts']): void {
    for (const [key, template] of this.#templates) {
      if (template.model !== model || needed.has(template.revision)) continue;
      this.#templates.delete(key);
      this.#crashes.delete(key);
    }
  }

  #startGuard(): void {
    this.#guard ??= startGuard(this.#options.stateFolder, TAKE_OVER_MS);
  }
}

/**
 * Returns how many workers may be started now. After a crash, workers are started one at a time, and only after the
 * retry delay.
 */
function countStartable(crashes: Crashes | undefined, present: readonly Entry[], nowMs: number): number {
  if (crashes === undefined) return Infinity;
  const isTrying = present.some(({ startedMs, readyAtMs }) => startedMs >= crashes.lastAtMs && readyAtMs === undefined);
  return isTrying || nowMs < crashes.retryAtMs ? 0 : 1;
}

function keyOf({ model, revision }: Revision): string {
  return `${model} ${revision}`;
}
