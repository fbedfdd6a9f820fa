import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOptions } from '../lib/options.ts';
import type { Plan } from '../lib/plan.ts';
import { SCENARIOS } from '../lib/scenarios.ts';
import type { Scenario } from '../lib/scenarios.ts';
import { say } from '../../tools/launch/terminal.mjs';
import { createAdmin } from './admin.ts';
import type { LoadtestArguments } from './arguments.ts';
import { readBalances } from './balances.ts';
import { buildPlan } from './build-plan.ts';
import type { PartialPlan } from './build-plan.ts';
import { startControl } from './control.ts';
import { findK6, K6_STATUS, runK6 } from './k6.ts';
import { buildLines } from './print.ts';
import { runRamp } from './ramp.ts';
import { findRecordings } from './recordings.ts';
import { readRecords } from './records.ts';
import type { Saturation } from './saturation.ts';
import { provideService } from './service.ts';
import { summarize } from './summary.ts';
import type { Summary } from './summary.ts';
import { createTenants } from './tenants.ts';
import type { Tenants } from './tenants.ts';

/** Files that a run writes into its folder. */
export const REPORT_FILES = { summary: 'summary.json', text: 'summary.txt', page: 'report.html' } as const;

/** Registers a cleanup step. Steps run once, in reverse order. */
export type AddCleanup = (step: () => Promise<void> | void) => void;

/**
 * Runs a scenario from the start of the service to the report. Registers a cleanup step for everything that it creates.
 */
export async function runLoadtest(
  { scenario: name, slowWorker }: LoadtestArguments,
  out: string,
  { env, signal, addCleanup }: { env: NodeJS.ProcessEnv; signal: AbortSignal; addCleanup: AddCleanup },
): Promise<Summary> {
  const scenario: Scenario = SCENARIOS[name];
  const options = createOptions(env, scenario.defaults);
  const lagLimitMs = options.whole('LAG_P95_MS', 1, 10_000);
  const settleMs = options.whole('SETTLE_SECONDS', 1, 3600) * 1000;
  const k6 = await findK6(options.text('K6'));
  const service = await provideService({
    scenario: name,
    options,
    env,
    mustBeTemporary: slowWorker,
    signal,
    addCleanup: addCleanup,
  });
  const { target, model, declaredSlots } = service;
  const partialPlan = buildPlan(name, options, model, declaredSlots, findRecordings(options.text('RECORDINGS'), model));

  const admin = createAdmin(target);
  const tenants = createTenants(admin);
  addCleanup(() => tenants.remove());
  await addTenants(tenants, partialPlan, name === 'noisy-tenant');
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-k6-'));
  addCleanup(() => rmSync(folder, { recursive: true, force: true }));
  const control = partialPlan.ramp === undefined ? undefined : await startControl();
  if (control !== undefined) addCleanup(() => control.close());
  const plan: Plan = {
    ...partialPlan,
    baseUrl: target.baseUrl,
    callers: tenants.callers,
    controlUrl: control?.url ?? '',
  };
  mkdirSync(out, { recursive: true });
  const files = {
    plan: join(folder, 'plan.json'),
    records: join(folder, 'records.ndjson'),
    report: join(out, REPORT_FILES.page),
    ca: target.caFile,
  };
  // The plan contains API keys.
  writeFileSync(files.plan, JSON.stringify(plan), { mode: 0o600 });

  say(
    `${name}: ${partialPlan.streams} streams against ${service.name}${declaredSlots === 0 ? '' : `, ${declaredSlots} declared slots`}`,
  );
  if (slowWorker && service.workerRecords !== undefined) {
    // Imported only here, because it depends on the operator's sources, which the load test image does not have.
    const { slowWorkers } = await import('./slow-worker.ts');
    const [stopMs, runMs] = [options.whole('SLOW_STOP_MS', 1, 2500), options.whole('SLOW_RUN_MS', 1, 60_000)];
    addCleanup(slowWorkers(service.workerRecords, stopMs, runMs));
  }
  const startedAt = new Date();
  const run = runK6(k6, name, files);
  const stop = () => run.stop();
  signal.addEventListener('abort', stop);
  addCleanup(stop);
  let saturation: Saturation | null = null;
  if (partialPlan.ramp !== undefined && control !== undefined) {
    saturation = await Promise.race([
      runRamp({
        declaredSlots,
        control,
        signal,
        limits: partialPlan.limits,
        steps: partialPlan.ramp.steps,
        stepMs: partialPlan.ramp.stepSeconds * 1000,
        settleMs: partialPlan.spreadSeconds * 1000,
        readRecords: () => readRecords(files.records),
      }),
      run.ended.then((status) => {
        throw new Error(`k6 ended with status ${status} during the ramp. Its messages are above.`);
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
  if (!expected.includes(status)) throw new Error(`k6 ended with status ${status}. Its messages are above.`);
  if (saturation !== null && service.measureSlotsAgain !== undefined) {
    saturation = { ...saturation, declaredAfter: await service.measureSlotsAgain() };
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
    streams: partialPlan.streams,
    declaredSlots,
    declaredAfter: null,
    slowWorker,
    limits: partialPlan.limits,
    lagLimitMs,
    crossedThresholds: status === K6_STATUS.thresholds,
  };
  const found = { records, balances, saturation };
  let summary = summarize(facts, scenario, found);
  if (summary.outcome === 'failed' && !slowWorker && service.measureSlotsAgain !== undefined) {
    // A worker that measures its slots again shows whether the machine became slower since the first measurement.
    summary = summarize({ ...facts, declaredAfter: await service.measureSlotsAgain() }, scenario, found);
  }
  writeFileSync(join(out, REPORT_FILES.summary), `${JSON.stringify(summary, null, 2)}\n`);
  writeFileSync(join(out, REPORT_FILES.text), `${buildLines(summary, scenario.requiresLatency).join('\n')}\n`);
  return summary;
}

async function addTenants(tenants: Tenants, partialPlan: PartialPlan, isNoisy: boolean): Promise<void> {
  // A session may still be settling when the next one of the same virtual user is created.
  const maxSessions = 2 * (partialPlan.streams + partialPlan.spike.streams) + 10;
  for (let count = 0; count < partialPlan.tenants; count++) await tenants.add('regular', maxSessions);
  if (isNoisy) await tenants.add('noisy', 2 * partialPlan.noisyStreams + 10);
}
