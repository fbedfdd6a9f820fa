import { prometheusName } from '@svc-asr/runtime';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { METRICS } from '../../operator/src/metric-list.ts';
import { startGuard } from '../../tools/supervise/guard.ts';
import { readUsage } from '../relay/usage.ts';
import type { Usage } from '../relay/usage.ts';
import { parseExposition, sumBy } from './exposition.ts';
import type { Sample } from './exposition.ts';

const VALUES = new URL('../../charts/svc-asr/values.yaml', import.meta.url);
const PROGRAM = fileURLToPath(new URL('../../operator/dist/main.js', import.meta.url));
const READY_TIMEOUT_MS = 1_800_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 200;
const KEPT_LINES = 20;
/** Memory limit of the operator's pod in the chart. */
export const MEMORY_LIMIT_MIB = readMemoryLimitMiB();
/** Limit of the heap. In a pod, Node limits its heap to half of the memory limit. */
const HEAP_MIB = MEMORY_LIMIT_MIB / 2;

/** The operator in a separate process, so that its CPU and memory can be measured. */
export interface OperatorProcess {
  metrics: () => Promise<Sample[]>;
  /** Requests to the Kubernetes API since the start, by verb. */
  requests: () => Promise<Map<string, number>>;
  usage: () => Usage;
  /**
   * Ends the process with SIGTERM, which makes it release the leader lease. If the process still runs after a minute,
   * ends it with SIGKILL.
   */
  stop: () => Promise<void>;
}

function readMemoryLimitMiB(): number {
  const { operator } = parse(readFileSync(VALUES, 'utf8')) as {
    operator: { resources: { limits: { memory: string } } };
  };
  const [, mib] = /^(\d+)Mi$/.exec(operator.resources.limits.memory) ?? [];
  if (mib === undefined) throw new Error('the chart must limit the memory of the operator in Mi');
  return Number(mib);
}

/** Starts the compiled operator. Waits until it is the leader and has reconciled every resource once. */
export async function startOperator(settings: Readonly<Record<string, string>>): Promise<OperatorProcess> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--enable-source-maps', `--max-old-space-size=${HEAP_MIB}`, PROGRAM], {
    env: { PATH, HOME, ADMIN_HOST: '127.0.0.1', ADMIN_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    // The operator has its own process group. The guard ends that group if this process dies.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the operator could not be started');
  const guard = startGuard(process.execPath);
  guard.watch(pid);
  const exited = once(child, 'exit');
  void exited.then(() => {
    guard.forget(pid);
    guard.close();
  });
  const lines: string[] = [];
  const port = new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      const [, found] = /admin port (\d+)/.exec(line) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    void exited.then(() =>
      reject(new Error(`the operator exited before it was ready; its last log lines:\n${lines.join('\n')}`)),
    );
  });
  const url = `http://127.0.0.1:${await port}`;
  const metrics = async () => parseExposition(await (await fetch(`${url}/metrics`)).text());
  const leads = async () =>
    (await metrics()).some(({ name, value }) => name === prometheusName(METRICS.leader) && value === 1);

  const untilMs = performance.now() + READY_TIMEOUT_MS;
  // The metrics are read only after the readiness check has passed, because they cost the operator more than that
  // check.
  while (!(await fetch(`${url}/readyz`)).ok || !(await leads())) {
    if (performance.now() > untilMs) {
      const done = [METRICS.reconciles, METRICS.requests, METRICS.relists].map(prometheusName);
      const counts = (await metrics())
        .filter(({ name }) => done.includes(name))
        .map((sample) => JSON.stringify(sample));
      throw new Error(
        `the operator was not ready within ${READY_TIMEOUT_MS / 1000} s; its counters:\n${counts.join('\n')}\n` +
          `its last log lines:\n${lines.join('\n')}`,
      );
    }
    await sleep(POLL_MS);
  }
  return {
    metrics,
    requests: async () => sumBy(await metrics(), prometheusName(METRICS.requests), 'verb'),
    usage: () => readUsage(pid),
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
