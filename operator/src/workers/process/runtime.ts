import { randomBytes } from 'node:crypto';
import type { Logger } from '@svc-asr/runtime';
import type { EndedWorker, Revision, WorkerRuntime, WorkerTemplate } from '../runtime.ts';
import { buildTemplate } from '../template.ts';
import { countCrash, describeCrashes, hasRecovered } from '../crashes.ts';
import type { Crashes } from '../crashes.ts';
import { endWorker } from './end.ts';
import { buildEnvironment, findArtifactProblem } from './environment.ts';
import type { EnvironmentOptions } from './environment.ts';
import { startGuard } from './guard.ts';
import type { Guard } from './guard.ts';
import { identityOf } from './identity.ts';
import { launchWorker } from './launch.ts';
import { takeOwnership } from './owner.ts';
import { isOurs, openRecords } from './records.ts';
import type { WorkerProcess } from './records.ts';

/** How often processes that are not our children are looked at. */
const ADOPTED_POLL_MS = 500;
/** How long the workers of a dead operator wait for the next one. */
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
  /** When it was started, or found again. */
  startedMs: number;
  adopted: boolean;
  readyAtMs: number | undefined;
  ending: Promise<void> | undefined;
}

/** Workers as processes of this machine; they outlive an operator that is killed and are found by the next. */
export function createProcessRuntime(options: ProcessRuntimeOptions): WorkerRuntime {
  const { logger, nowMs } = options;
  const entries = new Map<string, Entry>();
  const crashes = new Map<string, Crashes>();
  /** What workers were started from, by revision: one that is no longer wanted may have to carry on for a while. */
  const templates = new Map<string, WorkerTemplate>();
  const records = openRecords(options.stateFolder);
  let tellEnded: (worker: EndedWorker) => void = () => undefined;
  let poll: NodeJS.Timeout | undefined;
  let guard: Guard | undefined;

  const ofRevision = ({ model, revision }: Revision): Entry[] =>
    [...entries.values()].filter(({ record }) => record.model === model && record.revision === revision);

  function crashed({ record, readyAtMs }: Pick<Entry, 'record' | 'readyAtMs'>, how: string): void {
    const key = keyOf(record);
    const readyForMs = readyAtMs === undefined ? undefined : nowMs() - readyAtMs;
    const count = countCrash(crashes.get(key), { how, readyForMs, nowMs: nowMs() });
    crashes.set(key, count);
    logger.warn({ model: record.model, reason: how, amount: count.failures }, `worker ${record.id} ${how}`);
  }

  function ended(entry: Entry, how: string): void {
    const { id, model } = entry.record;
    if (!entries.delete(id)) return;
    records.remove(id);
    const asked = entry.ending !== undefined;
    if (asked) logger.info({ model }, `worker ${id} ${how}`);
    else crashed(entry, how);
    tellEnded({ id, model, how, asked });
  }

  function start(template: WorkerTemplate): void {
    const { model, revision } = template;
    const id = `${model}-${randomBytes(4).toString('hex')}`;
    const record: WorkerProcess = { id, model, revision, pid: 0, identity: '', startedAtMs: Date.now() };
    const entry: Entry = { record, startedMs: nowMs(), adopted: false, readyAtMs: undefined, ending: undefined };
    entries.set(id, entry);
    const onEnd = (how: string) => ended(entry, how);
    const { program, logFolder } = options;
    let pid: number | undefined;
    try {
      pid = launchWorker({ program, logFolder, model, id, env: buildEnvironment(template, id, options), onEnd });
    } catch (error) {
      onEnd(`could not be run: ${String(error)}`);
    }
    if (pid === undefined) return;
    guard ??= startGuard(options.stateFolder, TAKE_OVER_MS);
    entry.record = { ...record, pid, identity: identityOf(pid) ?? '' };
    records.put(entry.record);
    logger.info({ model, reason: revision }, `worker ${id} started, process ${pid}`);
  }

  function ensure(template: WorkerTemplate, count: number): void {
    const key = keyOf(template);
    templates.set(key, template);
    if (findArtifactProblem(template) !== undefined) return;
    const present = ofRevision(template).filter(({ ending }) => ending === undefined);
    const known = crashes.get(key);
    if (known !== undefined && present.some((entry) => hasRecovered(known, entry, nowMs()))) crashes.delete(key);
    const missing = Math.min(count - present.length, mayStart(crashes.get(key), present, nowMs()));
    for (let started = 0; started < missing; started++) start(template);
  }

  function end(entry: Entry): void {
    entry.ending ??= endWorker(entry.record, options.stopGraceMs).then(() => ended(entry, 'ended as it was told to'));
  }

  function adopt(record: WorkerProcess): void {
    const { id, model, pid } = record;
    if (isOurs(record)) {
      entries.set(id, { record, startedMs: nowMs(), adopted: true, readyAtMs: undefined, ending: undefined });
      logger.info({ model }, `worker ${id} found again, process ${pid}`);
      return;
    }
    records.remove(id);
    tellEnded({ id, model, how: 'ended while no operator ran', asked: false });
  }

  return {
    open: (onEnded) => {
      tellEnded = onEnded;
      takeOwnership(options.stateFolder);
      for (const record of records.read()) adopt(record);
      if (entries.size > 0) guard ??= startGuard(options.stateFolder, TAKE_OVER_MS);
      poll = setInterval(() => {
        for (const entry of entries.values()) if (entry.adopted && !isOurs(entry.record)) ended(entry, 'ended');
      }, ADOPTED_POLL_MS);
    },
    models: () => [...new Set([...entries.values()].map(({ record }) => record.model))],
    list: (model) =>
      [...entries.values()]
        .filter(({ record }) => record.model === model)
        .map(({ record: { id, revision }, startedMs, ending }) => ({
          id,
          model,
          revision,
          ageMs: nowMs() - startedMs,
          stopping: ending !== undefined,
        })),
    template: buildTemplate,
    ensure,
    keep: (model, revision, count) => {
      const template = templates.get(keyOf({ model, revision }));
      if (template !== undefined) ensure(template, count);
    },
    forget: (model, needed) => {
      for (const [key, template] of templates) {
        if (template.model !== model || needed.includes(template.revision)) continue;
        templates.delete(key);
        crashes.delete(key);
      }
    },
    // Resources are files of people: nobody writes to them.
    writeScale: () => undefined,
    confirm: (id) => {
      const entry = entries.get(id);
      if (entry !== undefined) entry.readyAtMs ??= nowMs();
    },
    stop: (id, failure) => {
      const entry = entries.get(id);
      if (entry === undefined || entry.ending !== undefined) return;
      if (failure !== undefined) crashed(entry, failure);
      end(entry);
    },
    startFailure: (of) => {
      const template = templates.get(keyOf(of));
      const problem = template && findArtifactProblem(template);
      if (problem !== undefined) return { reason: 'ArtifactUnsupported', message: problem };
      const message = describeCrashes(crashes.get(keyOf(of)));
      return message === undefined ? undefined : { reason: 'CrashLoop', message };
    },
    close: async () => {
      clearInterval(poll);
      for (const entry of entries.values()) end(entry);
      await Promise.all([...entries.values()].flatMap(({ ending }) => ending ?? []));
      guard?.close();
    },
  };
}

/** After a failure one worker at a time is tried, and not before its time. */
function mayStart(crashes: Crashes | undefined, present: readonly Entry[], nowMs: number): number {
  if (crashes === undefined) return Infinity;
  const trying = present.some(({ startedMs, readyAtMs }) => startedMs >= crashes.lastAtMs && readyAtMs === undefined);
  return trying || nowMs < crashes.retryAtMs ? 0 : 1;
}

function keyOf({ model, revision }: Revision): string {
  return `${model} ${revision}`;
}
