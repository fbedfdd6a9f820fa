import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '@svc-asr/ledger';
import { createOptions } from '../../loadtest/lib/options.ts';
import type { Plan } from '../../loadtest/lib/plan.ts';
import { SCENARIOS } from '../../loadtest/lib/scenarios.ts';
import { METRICS } from '../../loadtest/lib/thresholds.ts';
import { buildPlan } from '../../loadtest/runner/build-plan.ts';
import { countOf, distributionOf, readK6Metrics } from '../../loadtest/runner/k6-metrics.ts';
import type { K6Metrics } from '../../loadtest/runner/k6-metrics.ts';
import { findK6, runK6 } from '../../loadtest/runner/k6.ts';
import { findRecordings } from '../../loadtest/runner/recordings.ts';
import { createCertificate } from '../../test/support/certificate.ts';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../../test/support/gateway.ts';
import type { TestGateway } from '../../test/support/gateway.ts';
import { openLedger } from '../../test/support/ledger.ts';
import { freePort } from '../../test/support/ports.ts';
import { DURABLE, startRedis } from '../../test/support/redis.ts';
import { startWorker } from '../../test/support/worker.ts';
import { readUsage } from '../relay/usage.ts';
import type { GpuOptions } from './options.ts';
import { gpuWorkerSettings, READY_WITHIN_MS } from './worker-load.ts';

const SCENARIO = 'steady';
/** Credit of a tenant. It is more than any run uses. */
const CREDIT_MS = 36_000_000_000;
/** Time in seconds over which the first sessions start, and seconds of audio in a session. */
const [SPREAD_SECONDS, SESSION_SECONDS] = [15, 30];

/** Process ids of the service's processes, by name. */
type Processes = Readonly<Record<string, number>>;

/** Runs Redis, a worker, gateways with TLS, and k6 as clients. */
export async function measureService(
  options: GpuOptions,
  modelDir: string,
  figures: Record<string, number>,
  logProgress: (line: string) => void,
): Promise<void> {
  const k6 = await findK6(process.env.K6 ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-gpu-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const redis = await startRedis(DURABLE);
    stops.unshift(() => redis.stop());
    const prefix = ownPrefix();
    const ledger = await openLedger(redis.url, { prefix });
    stops.unshift(() => ledger.link.close());
    await seedCatalogue(ledger);
    const settings = gpuWorkerSettings(options, modelDir);
    const worker = await startWorker(redis.url, prefix, settings, { readyWithinMs: READY_WITHIN_MS });
    stops.unshift(() => worker.stop('SIGKILL'));
    const { cert, key } = await createCertificate();
    const [caFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(caFile, cert);
    writeFileSync(keyFile, key, { mode: 0o600 });
    const gateways: { baseUrl: string; gateway: TestGateway }[] = [];
    for (let i = 0; i < options.gateways; i++) {
      const port = await freePort();
      const baseUrl = `https://localhost:${port}`;
      const tls = { PORT: String(port), PUBLIC_URL: baseUrl, TLS_CERT_FILE: caFile, TLS_KEY_FILE: keyFile };
      const gateway = await startGateway(redis.url, prefix, tls, { readsOutput: false });
      stops.unshift(() => gateway.stop('SIGKILL'));
      gateways.push({ baseUrl, gateway });
    }
    logProgress(`service: ${gateways.length} gateways and a worker are ready`);
    const named = gateways.map(({ gateway }, i): [string, number] => [`gateway_${i + 1}`, gateway.pid]);
    const pids: Processes = { worker: worker.pid, redis: redis.pid, ...Object.fromEntries(named) };
    const urls = gateways.flatMap(({ baseUrl }) => Array.from({ length: options.k6PerGateway }, () => baseUrl));
    const plans = await writePlans(options, ledger, urls, folder);
    const used = followUsage(pids);
    const controller = new AbortController();
    await Promise.all(
      plans.map(({ planFile, reportFile }) =>
        runK6(k6, { script: SCENARIO, planFile, reportFile, caFile, address: '' }, controller.signal),
      ),
    );
    const cores = used.stop();
    const metrics = plans.map(({ metricsFile }) => readK6Metrics(metricsFile));
    report(metrics, cores, options, figures, logProgress);
  } finally {
    for (const stop of stops) await stop();
  }
}

interface PlanFiles {
  readonly planFile: string;
  readonly reportFile: string;
  readonly metricsFile: string;
}

/** Divides the streams among k6 processes. Each process has its own tenant. */
async function writePlans(
  options: GpuOptions,
  ledger: Ledger,
  urls: readonly string[],
  folder: string,
): Promise<PlanFiles[]> {
  const { serviceStreams, seconds } = options;
  return Promise.all(
    urls.map(async (baseUrl, i) => {
      const streams =
        Math.floor((serviceStreams * (i + 1)) / urls.length) - Math.floor((serviceStreams * i) / urls.length);
      const env = {
        STREAMS: String(streams),
        DURATION_SECONDS: String(SPREAD_SECONDS + seconds),
        SPREAD_SECONDS: String(SPREAD_SECONDS),
        SESSION_SECONDS: String(SESSION_SECONDS),
      };
      const loadOptions = createOptions(env, SCENARIOS[SCENARIO].defaults);
      const slots = { declared: streams, areFollowed: false };
      const partial = buildPlan(SCENARIO, loadOptions, MODEL, slots, findRecordings('', MODEL));
      const { tenant, key } = await seedTenant(ledger, CREDIT_MS, { concurrentSessions: 2 * streams + 10 });
      const file = (name: string): string => join(folder, `${name}-${i}`);
      const metricsFile = file('metrics.json');
      const plan: Plan = {
        ...partial,
        baseUrl,
        callers: [{ tenant, key, role: 'regular' }],
        gateUrl: '',
        k6Url: '',
        metricsFile,
      };
      writeFileSync(file('plan.json'), JSON.stringify(plan), { mode: 0o600 });
      return { planFile: file('plan.json'), reportFile: file('report.html'), metricsFile };
    }),
  );
}

/** Measures the CPU time of processes. The measurement starts after SPREAD_SECONDS, when all streams run. */
function followUsage(pids: Processes): { stop: () => Record<string, number> } {
  let started: { atMs: number; seconds: Record<string, number> } | undefined;
  const read = (): Record<string, number> =>
    Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, readUsage(pid).cpuSeconds]));
  const timer = setTimeout(() => (started = { atMs: performance.now(), seconds: read() }), SPREAD_SECONDS * 1000);
  let last: { atMs: number; seconds: Record<string, number> } | undefined;
  const sampler = setInterval(() => (last = { atMs: performance.now(), seconds: read() }), 5000);
  return {
    stop: () => {
      clearTimeout(timer);
      clearInterval(sampler);
      const [from, to] = [started, last];
      if (from === undefined || to === undefined || to.atMs <= from.atMs) return {};
      const elapsed = (to.atMs - from.atMs) / 1000;
      return Object.fromEntries(
        Object.entries(to.seconds).map(([name, value]) => [name, (value - (from.seconds[name] ?? 0)) / elapsed]),
      );
    },
  };
}

function report(
  metrics: readonly K6Metrics[],
  cores: Readonly<Record<string, number>>,
  { serviceStreams }: GpuOptions,
  figures: Record<string, number>,
  logProgress: (line: string) => void,
): void {
  const worst = (name: string, of: 'p50' | 'p95' | 'p99'): number =>
    Math.max(...metrics.map((one) => distributionOf(one, name)[of] ?? 0));
  const sum = (name: string): number => metrics.reduce((total, one) => total + countOf(one, name), 0);
  const failed = metrics.reduce((total, one) => total + (one.checks?.values.fails ?? 0), 0);
  const [delta, final] = [METRICS.latency('delta'), METRICS.latency('final')];
  logProgress(
    `service: ${serviceStreams} streams, ${sum('sessions')} sessions, ${sum('session_refusals')} refused, ${failed} failed checks; ` +
      `deltas p50 ${worst(delta, 'p50')} p95 ${worst(delta, 'p95')} p99 ${worst(delta, 'p99')} ms; ` +
      `finals p95 ${worst(final, 'p95')} ms; k6 late by p95 ${worst('lag', 'p95')} ms`,
  );
  logProgress(
    `  cores: ${Object.entries(cores)
      .map(([name, value]) => `${name} ${value.toFixed(2)}`)
      .join(', ')}`,
  );
  figures.service_streams = serviceStreams;
  figures.service_sessions = sum('sessions');
  figures.service_refused_sessions = sum('session_refusals');
  figures.service_failed_checks = failed;
  figures.service_delta_p50_ms = worst(delta, 'p50');
  figures.service_delta_p95_ms = worst(delta, 'p95');
  figures.service_delta_p99_ms = worst(delta, 'p99');
  figures.service_final_p95_ms = worst(final, 'p95');
  figures.service_ready_p95_ms = worst(METRICS.latency('ready'), 'p95');
  figures.service_k6_lag_p95_ms = worst('lag', 'p95');
  for (const [name, value] of Object.entries(cores)) figures[`service_${name}_cores`] = value;
}
