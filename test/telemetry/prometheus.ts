import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/ports.ts';

/** An admin port with the labels that Prometheus adds to its metrics. */
export interface ScrapeTarget {
  readonly url: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** One sample of an instant vector. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A rule as Prometheus reports it. */
export interface LoadedRule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

/** A real Prometheus that scrapes its targets every second. */
export interface Prometheus {
  /** Evaluates an expression now. Rejects with the error of Prometheus if it is invalid. */
  query: (expression: string) => Promise<Sample[]>;
  /** Returns the values of a label of a metric, as for a dashboard variable. */
  labelValues: (metric: string, label: string) => Promise<string[]>;
  rules: () => Promise<LoadedRule[]>;
  stop: () => Promise<void>;
}

const INTERVAL = '1s';
const START_MS = 30_000;

/** Starts Prometheus on loopback with a temporary folder. */
export async function startPrometheus(
  program: string,
  targets: readonly ScrapeTarget[],
  ruleFile: string,
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, buildConfig(targets, ruleFile));
  const url = `http://127.0.0.1:${await freePort()}`;
  const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, '--log.level=warn'];
  const child = spawn(program, [...args, `--web.listen-address=${new URL(url).host}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const ask = async (path: string, values: Record<string, string> = {}): Promise<unknown> => {
    const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(values).toString()}`);
    const body = (await answer.json()) as { status: string; data: unknown; error?: string };
    if (body.status !== 'success') throw new Error(`${values.query ?? path}: ${body.error}`);
    return body.data;
  };
  await eventually('Prometheus is ready', START_MS, async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus exited: ${output}`);
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    return answer?.ok;
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    query: async (query) => {
      const { result } = (await ask('query', { query })) as {
        result: { metric: Record<string, string>; value: [number, string] }[];
      };
      return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    labelValues: async (metric, label) => (await ask(`label/${label}/values`, { 'match[]': metric })) as string[],
    rules: async () => ((await ask('rules')) as { groups: { rules: LoadedRule[] }[] }).groups.flatMap((g) => g.rules),
    stop,
  };
}

function buildConfig(targets: readonly ScrapeTarget[], ruleFile: string): string {
  const jobs = [...new Set(targets.map(({ labels }) => labels.job ?? ''))];
  return stringify({
    global: { scrape_interval: INTERVAL, evaluation_interval: INTERVAL },
    rule_files: [ruleFile],
    scrape_configs: jobs.map((job) => ({
      job_name: job,
      // As in a ServiceMonitor of kube-state-metrics, the label `namespace` is the namespace of the resource and not of
      // the target.
      honor_labels: job === 'kube-state-metrics',
      static_configs: targets
        .filter(({ labels }) => labels.job === job)
        .map(({ url, labels }) => ({ targets: [new URL(url).host], labels })),
    })),
  });
}
