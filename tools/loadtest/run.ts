import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOptions } from '../../loadtest/lib/options.ts';
import type { Plan } from '../../loadtest/lib/plan.ts';
import { SCENARIOS } from '../../loadtest/lib/scenarios.ts';
import type { Scenario } from '../../loadtest/lib/scenarios.ts';
import { say } from '../launch/terminal.mjs';
import { createAdmin } from './admin.ts';
import type { LoadtestArguments } from './arguments.ts';
import { readBalances } from './balances.ts';
import { buildPlan } from './build-plan.ts';
import type { Draft } from './build-plan.ts';
import { startControl } from './control.ts';
import { findK6, K6_STATUS, runK6 } from './k6.ts';
import { climb } from './ramp.ts';
import { findRecordings } from './recordings.ts';
import { readRecords } from './records.ts';
import { buildReport } from './report/page.ts';
import type { Saturation } from './saturation.ts';
import { provideService } from './service.ts';
import { summarize } from './summary.ts';
import type { Summary } from './summary.ts';
import { createTenants } from './tenants.ts';
import type { Tenants } from './tenants.ts';

/** What a run writes into its folder. */
export const REPORT_FILES = { summary: 'summary.json', page: 'report.html' } as const;

/** Things to undo, the last first; they are undone once, whoever asks. */
export type Undo = (step: () => Promise<void> | void) => void;

/** Runs a scenario from nothing to its report. Everything that it makes is handed to `undo`. */
export async function runLoadtest(
  { scenario: name, slowWorker }: LoadtestArguments,
  out: string,
  { env, signal, undo }: { env: NodeJS.ProcessEnv; signal: AbortSignal; undo: Undo },
): Promise<Summary> {
  const scenario: Scenario = SCENARIOS[name];
  const options = createOptions(env, scenario.defaults);
  const lagLimitMs = options.whole('LAG_P95_MS', 1, 10_000);
  const settleMs = options.whole('SETTLE_SECONDS', 1, 3600) * 1000;
  const k6 = await findK6(options.text('K6'));
  const service = await provideService({ scenario: name, options, env, mustBeOwn: slowWorker, signal, own: undo });
  const { target, model, declaredSlots } = service;
  const draft = buildPlan(name, options, model, declaredSlots, findRecordings(options.text('RECORDINGS'), model));

  const admin = createAdmin(target);
  const tenants = createTenants(admin);
  undo(() => tenants.remove());
  await addTenants(tenants, draft, name === 'noisy-tenant');
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-k6-'));
  undo(() => rmSync(folder, { recursive: true, force: true }));
  const control = draft.ramp === undefined ? undefined : await startControl();
  if (control !== undefined) undo(() => control.close());
  const plan: Plan = {
    ...draft,
    baseUrl: target.baseUrl,
    callers: tenants.callers,
    controlUrl: control?.url ?? '',
  };
  const files = { plan: join(folder, 'plan.json'), records: join(folder, 'records.ndjson'), ca: target.caFile };
  // It holds API keys.
  writeFileSync(files.plan, JSON.stringify(plan), { mode: 0o600 });

  say(
    `${name}: ${draft.streams} streams against ${service.name}${declaredSlots === 0 ? '' : `, ${declaredSlots} declared slots`}`,
  );
  if (slowWorker && service.workerRecords !== undefined) {
    // Only here: it knows the operator's sources, which the image of the load tests does not have.
    const { slowWorkers } = await import('./slow-worker.ts');
    const [stopMs, runMs] = [options.whole('SLOW_STOP_MS', 1, 2500), options.whole('SLOW_RUN_MS', 1, 60_000)];
    undo(slowWorkers(service.workerRecords, stopMs, runMs));
  }
  const startedAt = new Date();
  const run = runK6(k6, name, files);
  const stop = () => run.stop();
  signal.addEventListener('abort', stop);
  undo(stop);
  let saturation: Saturation | null = null;
  if (draft.ramp !== undefined && control !== undefined) {
    saturation = await Promise.race([
      climb({
        declaredSlots,
        control,
        signal,
        limits: draft.limits,
        steps: draft.ramp.steps,
        stepMs: draft.ramp.stepSeconds * 1000,
        settleMs: draft.spreadSeconds * 1000,
        readRecords: () => readRecords(files.records),
      }),
      run.ended.then((status) => {
        throw new Error(`k6 ended with ${status} in the middle of the ramp`);
      }),
    ]);
    run.stop();
  }
  const status = await run.ended;
  signal.throwIfAborted();
  const expected: number[] = [
    K6_STATUS.passed,
    K6_STATUS.thresholds,
    ...(saturation === null ? [] : [K6_STATUS.stopped]),
  ];
  if (!expected.includes(status)) throw new Error(`k6 ended with ${status}; its messages are above`);
  if (saturation !== null && service.declareAgain !== undefined) {
    saturation = { ...saturation, declaredAfter: await service.declareAgain() };
  }

  const records = readRecords(files.records);
  const seconds = (Date.now() - startedAt.getTime()) / 1000;
  const balances = await readBalances(admin, target, tenants.callers, settleMs);
  const facts = {
    scenario: name,
    startedAt: startedAt.toISOString(),
    seconds,
    service: service.name,
    model,
    streams: draft.streams,
    declaredSlots,
    declaredAfter: null,
    slowWorker,
    limits: draft.limits,
    lagLimitMs,
    crossedThresholds: status === K6_STATUS.thresholds,
  };
  const found = { records, balances, saturation };
  let summary = summarize(facts, scenario, found);
  if (summary.outcome === 'failed' && !slowWorker && service.declareAgain !== undefined) {
    // Was it the service, or is the machine not the one that the worker measured?
    summary = summarize({ ...facts, declaredAfter: await service.declareAgain() }, scenario, found);
  }
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, REPORT_FILES.summary), `${JSON.stringify(summary, null, 2)}\n`);
  writeFileSync(join(out, REPORT_FILES.page), buildReport(summary, records));
  return summary;
}

async function addTenants(tenants: Tenants, draft: Draft, isNoisy: boolean): Promise<void> {
  // A session may still be settled while the next of the same stream is made.
  const most = 2 * (draft.streams + draft.spike.streams) + 10;
  for (let count = 0; count < draft.tenants; count++) await tenants.add('regular', most);
  if (isNoisy) await tenants.add('noisy', 2 * draft.noisyStreams + 10);
}
