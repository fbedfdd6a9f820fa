import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logProgress } from '../../tools/launch/terminal.mjs';
import { freePort } from '../../tools/start/ports.ts';
import { createOptions } from '../lib/options.ts';
import type { Options } from '../lib/options.ts';
import { NOISY_LIMITS } from '../lib/noise.ts';
import { periodTags, WARM_UP_SECONDS } from '../lib/periods.ts';
import type { Plan } from '../lib/plan.ts';
import { SCENARIOS } from '../lib/scenarios.ts';
import { createAdmin } from './admin.ts';
import type { LoadtestArguments } from './arguments.ts';
import { buildPlan } from './build-plan.ts';
import type { PartialPlan } from './build-plan.ts';
import type { CpuLimit } from './cpu-limit.ts';
import { watchIdleTime } from './idle-time.ts';
import type { IdleWatch } from './idle-time.ts';
import { readK6Metrics } from './k6-metrics.ts';
import type { K6Metrics } from './k6-metrics.ts';
import { findK6, runK6 } from './k6.ts';
import { runNoise } from './noise.ts';
import { findRecordings } from './recordings.ts';
import { judgeGrowth } from './growth.ts';
import { watchResources } from './resources.ts';
import { RESULT_FILES } from './result-files.ts';
import { provideService } from './service.ts';
import type { RunContext, Service } from './service.ts';
import { summarize } from './summary.ts';
import type { RunFacts, Summary } from './summary.ts';
import { openStreamGate } from './stream-gate.ts';
import type { StreamGate } from './stream-gate.ts';
import { createTenants } from './tenants.ts';
import type { Tenants } from './tenants.ts';

/**
 * Runs a scenario, from the start of the service to the summary. Registers cleanup steps for the service, the tenants
 * and temporary files. k6 writes its report to the folder `out`.
 */
export async function runLoadtest(args: LoadtestArguments, out: string, context: RunContext): Promise<Summary> {
  const { scenario, slowWorker, halveCpu } = args;
  const { env, signal, addCleanup } = context;
  const options = createOptions(env, SCENARIOS[scenario].defaults);
  const settleMs = options.whole('SETTLE_SECONDS', 1, 3600) * 1000;
  const k6 = await findK6(options.text('K6'));
  const limit = halveCpu ? await createWorkerLimit(context) : undefined;
  const service = await provideService({ scenario, options, mustBeTemporary: slowWorker || halveCpu, ...context });
  const { target, model, declaredSlots, readSlots } = service;
  const areFollowed = SCENARIOS[scenario].followsSlots && options.text('STREAMS') === '' && readSlots !== undefined;
  const recordings = findRecordings(options.text('RECORDINGS'), model);
  const partialPlan = buildPlan(scenario, options, model, { declared: declaredSlots, areFollowed }, recordings);

  const tenants = createTenants(createAdmin(target));
  addCleanup(() => tenants.remove());
  await addTenants(tenants, partialPlan);
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-k6-'));
  addCleanup(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(out, { recursive: true });
  const [planFile, metricsFile] = [join(folder, 'plan.json'), join(folder, 'metrics.json')];
  const address = partialPlan.ramp === null ? '' : `127.0.0.1:${await freePort('127.0.0.1')}`;
  const gate = areFollowed ? await openGate(scenario, options, { declaredSlots, readSlots }, context) : undefined;
  const { periods } = partialPlan;
  const plan: Plan = {
    ...partialPlan,
    periods: periods === null ? null : { ...periods, startMs: Date.now() + WARM_UP_SECONDS * 1000 },
    // If streams follow the slots, a session that starts while the number of slots decreases may be refused.
    mayBeRefused: partialPlan.mayBeRefused || gate !== undefined,
    gateUrl: gate?.url ?? '',
    baseUrl: target.baseUrl,
    callers: tenants.callers.filter(({ role }) => role === 'regular'),
    k6Url: `http://${address}`,
    metricsFile,
  };
  // The file is readable only by its owner, because the plan contains API keys.
  writeFileSync(planFile, JSON.stringify(plan), { mode: 0o600 });

  const slots = declaredSlots === 0 ? '' : `, ${declaredSlots} declared slots`;
  logProgress(`${scenario}: ${plan.streams} streams against ${service.name}${slots}`);
  if (slowWorker) await slowDown(service, options, context);
  const halveAfterSeconds = plan.durationSeconds / 2;
  const endHalving = await limitWorker(limit, service, halveAfterSeconds);
  const resources =
    scenario === 'soak' && service.redisUrl !== undefined
      ? watchResources(service.redisUrl, () => gate?.streams ?? plan.streams)
      : undefined;
  if (resources !== undefined) addCleanup(resources.stop);
  const idle = watchQuietTime(plan, service);
  if (idle !== undefined) addCleanup(idle.stop);
  const startedAt = new Date();
  const reportFile = join(out, RESULT_FILES.page);
  const { caFile } = target;
  const noisePlan = { ...plan, callers: tenants.callers };
  const [, noiseMetrics] = await Promise.all([
    runK6(k6, { script: scenario, planFile, reportFile, address, caFile }, signal),
    periods === null ? Promise.resolve({}) : runNoise(noisePlan, { k6, folder, caFile, signal }),
  ]);
  endHalving();
  idle?.stop();
  resources?.stop();
  const growth = resources === undefined ? [] : judgeGrowth(resources.readings, resources.failures);
  const facts: RunFacts = {
    scenario,
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    service: service.name,
    declaredSlots,
    declaredAfter: null,
    slotRange: gate?.range ?? null,
    slowWorker,
    cpuHalvedAfterSeconds: halveCpu ? halveAfterSeconds : null,
    quietIdleShare: idle?.share ?? null,
  };
  // If both k6 processes report a metric of the same name, the metric of the regular tenants is used.
  const metrics: K6Metrics = { ...noiseMetrics, ...readK6Metrics(metricsFile) };
  const balances = await tenants.readBalances(settleMs);
  const summary = summarize(facts, plan, metrics, balances, growth);
  const isDoubtful = summary.outcome === 'failed' || summary.saturation !== null;
  if (!isDoubtful || slowWorker || halveCpu || service.measureSlotsAgain === undefined) return summary;
  // Another worker now measures its slots. The result shows whether the machine became slower after the first
  // measurement.
  return summarize({ ...facts, declaredAfter: await service.measureSlotsAgain() }, plan, metrics, balances, growth);
}

async function addTenants(tenants: Tenants, plan: PartialPlan): Promise<void> {
  // The limit is more than twice the number of virtual users. The previous session of a user may still be settling when
  // the user creates the next one.
  const maxSessions = 2 * (plan.users + plan.spike.streams) + 10;
  const limits = { concurrentSessions: maxSessions, sessionsPerMinute: 1_000_000, requestsPerMinute: 10_000_000 };
  for (let count = 0; count < plan.tenants; count++) await tenants.add('regular', limits);
  if (plan.periods !== null) await tenants.add('noisy', NOISY_LIMITS);
}

/** Measures the idle CPU time of this machine in quiet periods, if the service was started for the run. */
function watchQuietTime({ periods }: Plan, { redisUrl }: Service): IdleWatch | undefined {
  if (periods === null || redisUrl === undefined) return undefined;
  return watchIdleTime(() => periodTags(periods, Date.now()).period === 'quiet');
}

/** Opens the gate. k6 asks it before each stream, so that the number of streams follows the declared slots. */
async function openGate(
  scenario: LoadtestArguments['scenario'],
  options: Options,
  { declaredSlots, readSlots }: Required<Pick<Service, 'declaredSlots' | 'readSlots'>>,
  { addCleanup }: RunContext,
): Promise<StreamGate> {
  const loadPercent = options.whole('LOAD_PERCENT', 1, 1000);
  // The load of the scenario soak must not rise with the slots, because the use of memory and sockets would rise too.
  const maxStreams = scenario === 'soak' ? Math.floor((declaredSlots * loadPercent) / 100) : Infinity;
  const gate = await openStreamGate(declaredSlots, { loadPercent, maxStreams }, readSlots);
  addCleanup(() => gate.close());
  return gate;
}

async function slowDown({ workerRecords }: Service, options: Options, { addCleanup }: RunContext): Promise<void> {
  if (workerRecords === undefined) return;
  // Imported only when needed, because it depends on sources of the operator, which the load test image does not
  // contain.
  const { slowWorkers } = await import('./slow-worker.ts');
  const [stopMs, runMs] = [options.whole('SLOW_STOP_MS', 1, 2500), options.whole('SLOW_RUN_MS', 1, 60_000)];
  addCleanup(slowWorkers(workerRecords, stopMs, runMs));
}

/**
 * Creates the control group for the worker. Call it before any service is started, so that the run fails early if the
 * system does not allow control groups.
 */
async function createWorkerLimit({ addCleanup }: RunContext): Promise<CpuLimit> {
  // Imported only when needed, because the load test image does not contain the sources of the operator and of
  // tools/cluster.
  const [{ createCpuLimit }, { HALF_CORE }] = await Promise.all([import('./cpu-limit.ts'), import('./halve-cpu.ts')]);
  const limit = createCpuLimit(HALF_CORE);
  // Cleanup steps run in reverse order. The control group is therefore removed after the service has stopped, when no
  // process is in the group.
  addCleanup(() => limit.remove());
  return limit;
}

/**
 * Schedules the CPU limit of the worker. Returns a function that the caller must call at the end of the run. The
 * function throws if the limit was not applied.
 */
async function limitWorker(limit: CpuLimit | undefined, service: Service, seconds: number): Promise<() => void> {
  const { workerRecords, model } = service;
  if (limit === undefined || workerRecords === undefined) return () => undefined;
  const { limitWorkersAfter } = await import('./halve-cpu.ts');
  return limitWorkersAfter(seconds, limit, { workerRecords, model });
}
