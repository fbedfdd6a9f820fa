import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bundlePrograms from '../../test/support/bundle-programs.ts';
import { logProgress } from '../launch/terminal.mjs';
import type { ChaosArguments } from './arguments.ts';
import { LedgerChecker } from './checker.ts';
import { FAULTS } from './fault-list.ts';
import type { FaultKind, FaultName } from './fault-list.ts';
import { injectAll } from './injector.ts';
import type { InjectedFault } from './injector.ts';
import { judgeAll } from './judgement.ts';
import { Load } from './load.ts';
import { checkQuiescence, checkService } from './quiescence.ts';
import { Random } from '../../test/support/random.ts';
import { readReference } from './reference.ts';
import type { Impact } from './oracle.ts';
import { ReplicationWatch } from './replication.ts';
import type { LostTail } from './replication.ts';
import type { RunResult } from './report.ts';
import { buildSchedule } from './schedule.ts';
import { startChaosService } from './service.ts';
import type { ChaosService } from './service.ts';
import { GATEWAYS, SENTINELS, WORKERS } from './settings.ts';
import { checkOperator, createKey } from './tenants.ts';
import { Timeline } from './timeline.ts';

/** What happened in a run: the result, and the timeline to explain violations. */
export interface ChaosRun {
  readonly result: RunResult;
  readonly timeline: Timeline;
  /** Folder with the logs of all processes. It is kept if there were violations. */
  readonly folder: string;
}

/** Runs the service under load, injects the faults that the seed determines, and judges every session. */
export async function runChaos(args: ChaosArguments): Promise<ChaosRun> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-chaos-'));
  const timeline = new Timeline();
  const perTenant = Math.ceil(args.streams / args.tenants);
  logProgress('chaos: starting the service');
  await bundlePrograms();
  // A lost session counts as concurrent for some seconds. The limit is twice the number of streams of a tenant, so
  // that most clients need not wait for the end of a lost session.
  const size = { tenants: args.tenants, concurrentSessions: perTenant * 2 };
  const service = await startChaosService(folder, timeline, size);
  try {
    const result = await runWith(service, args, timeline);
    await service.stop();
    if (timeline.violations.length === 0) rmSync(folder, { recursive: true, force: true });
    return { result, timeline, folder };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function runWith(service: ChaosService, args: ChaosArguments, timeline: Timeline): Promise<RunResult> {
  const { ledger, gateways, tenantNames } = service;
  const tenants = await Promise.all(tenantNames.map((name) => createKey(ledger, name)));
  const gatewayUrls = gateways.map(({ baseUrl }) => baseUrl);
  const [first] = tenants;
  if (first === undefined) throw new Error('there is no tenant');
  const recordings = await readReference(gatewayUrls[0] ?? '', first);
  const faults = args.faults.filter((name) => canInject(service, name));
  const plan = buildSchedule(new Random(args.seed), {
    faults,
    durationMs: args.minutes * 60_000,
    intervalMs: args.intervalSeconds * 1000,
    gateways: GATEWAYS,
    workers: WORKERS,
    sentinels: SENTINELS,
  });
  logProgress(`chaos: ${plan.length} faults in ${args.minutes} min, seed ${args.seed}`);
  const checker = new LedgerChecker(ledger, tenantNames, timeline);
  const watch = new ReplicationWatch(ledger, timeline, ({ fromMs }) => checker.forgetSince(fromMs));
  const ownSessions = await sessionsSoFar(checker, tenantNames);
  const load = new Load({ ...args, tenants, gatewayUrls, recordings, timeline });
  const injected = await injectAll(plan, service, load, timeline);
  logProgress(`chaos: ${injected.length} faults injected, waiting for the last sessions`);
  await load.stop();
  const accountsLocked = await checkQuiescence(ledger, tenants, timeline);
  await watch.stop();
  await checker.stop(watch.tails);
  const records = load.sessions;
  const context = {
    checker,
    tenants: tenantNames,
    ignored: ownSessions,
    impacts: [...injected, ...findOwnFailovers(injected, watch.tails)],
    tails: watch.tails,
  };
  const judgement = judgeAll(records, context, timeline);
  await checkService(gatewayUrls, tenants, recordings, timeline);
  await checkOperator(service.apiServer, ledger).catch((error: unknown) => timeline.violate(String(error)));
  return {
    command: commandOf(args),
    seed: args.seed,
    minutes: args.minutes,
    faults: injected,
    judgement,
    accountsLocked,
    accountReads: checker.reads,
    tenants: args.tenants,
    streams: args.streams,
    violations: timeline.violations.map(({ text }) => text),
    sessions: records,
  };
}

/** Returns whether this machine allows a fault. Logs the reason if it does not. */
function canInject({ redis, clocks }: ChaosService, name: FaultName): boolean {
  const { clock }: FaultKind = FAULTS[name];
  if (name === 'full:disk' && !redis.servers.every(({ disk }) => disk.canFill)) {
    logProgress('chaos: no full:disk, because only root can mount a file system');
    return false;
  }
  if (clock !== 0 && !clocks.canStep) {
    logProgress(`chaos: no ${name}, because only Linux can step the clock of a process`);
    return false;
  }
  return true;
}

/**
 * Returns the failovers that no injected fault caused. On a busy machine, the sentinels may replace a healthy primary.
 */
function findOwnFailovers(faults: readonly InjectedFault[], tails: readonly LostTail[]): Impact[] {
  const causes = faults.filter(({ name }) => FAULTS[name].target === 'redis');
  return tails
    .filter((tail) => !causes.some(({ fromMs, toMs }) => fromMs <= tail.toMs && toMs >= tail.fromMs))
    .map((tail) => ({ ...tail, harm: 'separates', gateway: undefined }));
}

/** Returns the command that repeats a run. */
function commandOf({ minutes, seed, intervalSeconds, tenants, streams, faults }: ChaosArguments): string {
  const options = `--minutes ${minutes} --seed ${seed} --interval ${intervalSeconds} --tenants ${tenants}`;
  const chosen = faults.length === Object.keys(FAULTS).length ? '' : ` --faults ${faults.join(',')}`;
  return `npm run chaos -- ${options} --streams ${streams}${chosen}`;
}

/** Returns the sessions that the run itself created before the load. */
async function sessionsSoFar(checker: LedgerChecker, tenants: readonly string[]): Promise<ReadonlySet<string>> {
  await Promise.all(tenants.map((tenant) => checker.readJournal(tenant)));
  return new Set(tenants.flatMap((tenant) => checker.journal(tenant).map(({ subject }) => subject)));
}
