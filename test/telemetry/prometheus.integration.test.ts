import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PROMETHEUS } from '../../tools/install/programs.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL } from '../support/gateway.ts';
import { startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';
import { ALERTS_FILE, readAlerts, readDashboards, readTenantMetricsConfig } from './chart-files.ts';
import { startPrometheus } from './prometheus.ts';
import type { Prometheus, Sample, ScrapeTarget } from './prometheus.ts';
import { startTenantMetrics } from './tenant-metrics.ts';
import { generateTraffic } from './traffic.ts';

const RULE_TESTS = join(import.meta.dirname, 'alerts.promtool.yaml');
const NAMESPACE = 'asr';
const START_MS = 180_000;

/** Reasons why some queries return no data in this test. Each key is a part of such a query. */
const WITHOUT_DATA: Readonly<Record<string, string>> = {
  svc_asr_operator_kubernetes_requests_total: 'the operator reads files and uses no Kubernetes API',
  svc_asr_operator_watch_age_seconds: 'the operator reads files and watches no Kubernetes API',
  'svc_asr_operator_reconciles_total{result="error"}': 'no reconciliation failed',
  'svc_asr_http_requests_total{code="no_capacity"}': 'no session was refused for lack of capacity',
  'svc_asr_stream_moves_total{cause="failure"}': 'no worker failed',
  'svc_asr_streams_ended_total{outcome="failed",reason!="client closed before ready"}': 'no stream failed',
  'svc_asr_http_requests_total{status=~"5..",code!="no_capacity"}': 'no request failed',
  svc_asr_sessions_reaped_total: 'no session was overdue',
  svc_asr_pool_tier_: 'no model has tiers, which need a cluster',
  'absent(svc_asr_redis_ready)': 'it has data only without a gateway',
};

/** Values of the dashboard variables, which Grafana would fill in. */
const VARIABLES = { $namespace: NAMESPACE, $model: MODEL, $tenant: 'local', $__rate_interval: '2m' };

const dashboards = readDashboards();
const programs = PROMETHEUS.find();
if (programs === undefined) throw new Error('prometheus or promtool is not on PATH; `npm test` installs both');
const { server, tool } = programs;

/** Returns a target with the labels that a ServiceMonitor of the chart adds. */
function targetOf(component: string, url: string, pod: string, labels: Record<string, string> = {}): ScrapeTarget {
  const service = `svc-asr-${component}-admin`;
  return {
    url,
    labels: {
      job: service,
      service,
      endpoint: 'admin',
      namespace: NAMESPACE,
      pod,
      container: component,
      app_kubernetes_io_component: component,
      ...labels,
    },
  };
}

function substitute(expression: string): string {
  return Object.entries(VARIABLES).reduce((text, [name, value]) => text.replaceAll(name, value), expression);
}

const hasData = (samples: readonly Sample[]) => samples.some(({ value }) => !Number.isNaN(value));
const reasonFor = (expression: string) => Object.keys(WITHOUT_DATA).find((part) => expression.includes(part));

describe('dashboards and alerts on a real Prometheus:', () => {
  let service: Service;
  let workers: TestWorker[];
  let tenants: Awaited<ReturnType<typeof startTenantMetrics>>;
  let prometheus: Prometheus;

  beforeAll(async () => {
    // The test starts the workers itself, so that it knows their admin ports.
    service = await startService({ env: { WORKER_PROGRAM: '', JOURNAL_FOLDER: temporaryFolder('journal') } });
    const tickets = { WORKER_TICKET_PUBLIC_KEYS_FILE: join(service.home, 'secrets/worker-ticket-public-keys.pem') };
    const start = () => startWorker(service.redisUrl, 'svc', tickets);
    workers = await Promise.all([start(), start()]);
    tenants = await startTenantMetrics(readTenantMetricsConfig(), async () => [await readTenant(service)]);
    const { gateway_admin_url: gateway, operator_admin_url: operator, console_admin_url: console_ } = service.local;
    prometheus = await startPrometheus(
      server,
      [
        targetOf('gateway', gateway, 'gateway-0'),
        targetOf('operator', operator, 'operator-0'),
        targetOf('console', console_, 'console-0'),
        ...workers.map(({ id, adminUrl }) => targetOf('worker', adminUrl, id, { asr_svc_dev_model: MODEL })),
        { url: tenants.url, labels: { job: 'kube-state-metrics', namespace: 'monitoring' } },
      ],
      ALERTS_FILE,
    );
    await generateTraffic(service, workers, prometheus);
  }, START_MS);
  afterAll(async () => {
    await prometheus.stop();
    await tenants.stop();
    await Promise.all(workers.map((worker) => worker.stop()));
    await stopServices();
  }, START_MS);

  test('every admin port is scraped', async () => {
    const up = await prometheus.query('sum by (app_kubernetes_io_component) (up)');
    const read = up
      .filter(({ value }) => value > 0)
      .map(({ labels }) => labels.app_kubernetes_io_component ?? 'tenants');
    expect(read.sort()).toEqual(['console', 'gateway', 'operator', 'tenants', 'worker']);
  });

  test.each(dashboards)(
    'every panel of the dashboard %s has data, except queries in WITHOUT_DATA',
    async (_name, { panels }) => {
      const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
      const empty: string[] = [];
      for (const { title, expr } of queries) {
        const samples = await prometheus.query(substitute(expr));
        if (!hasData(samples) && reasonFor(expr) === undefined) empty.push(`${title}: ${expr}`);
      }
      expect(empty).toEqual([]);
    },
  );

  test.each(dashboards)('every variable of the dashboard %s has values', async (_name, { templating }) => {
    const queries = templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]));
    for (const query of queries) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
      expect([query, (await prometheus.labelValues(metric, label)).length]).not.toEqual([query, 0]);
    }
  });

  test('every alert expression has data to compare, except those in WITHOUT_DATA', async () => {
    for (const { alert, expr } of readAlerts()) {
      // With `bool` a comparison returns 0 or 1 instead of dropping samples, so any result means that there was data.
      const compared = await prometheus.query(expr.replaceAll(/ (>|<|==) /g, ' $1 bool '));
      if (!hasData(compared)) expect([alert, reasonFor(expr) ?? 'gives nothing']).not.toEqual([alert, 'gives nothing']);
    }
  });

  test('Prometheus evaluates every rule without an error', async () => {
    const rules = await eventually('every rule was evaluated', 30_000, async () => {
      const seen = await prometheus.rules();
      return seen.every(({ health }) => health !== 'unknown') && seen;
    });
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(rules.map(({ name }) => name).sort()).toEqual(
      readAlerts()
        .map(({ alert }) => alert)
        .sort(),
    );
  });

  test('every query in WITHOUT_DATA returns no data, and a dashboard or an alert uses it', async () => {
    const all = [
      ...dashboards.flatMap(([, { panels }]) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))),
      ...readAlerts().map(({ expr }) => expr),
    ];
    for (const part of Object.keys(WITHOUT_DATA)) {
      expect([part, all.some((expression) => expression.includes(part))]).toEqual([part, true]);
      expect([part, hasData(await prometheus.query(part))]).toEqual([part, false]);
    }
  });
});

test.each([
  ['the alert rules are valid', ['check', 'rules', ALERTS_FILE]],
  ['alerts fire above their thresholds and not below', ['test', 'rules', RULE_TESTS]],
])('promtool confirms that %s', (_name, args) => {
  const { status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8' });
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
});

/** Returns the tenant `local` as a Kubernetes resource with the balance that the service reports. */
async function readTenant({ admin }: Service): Promise<object> {
  const { credits, live_sessions: liveSessions, state } = await admin.account('local');
  return {
    metadata: { name: 'local', namespace: NAMESPACE },
    spec: { state, limits: { concurrentSessions: 1 } },
    status: {
      credits: {
        availableMs: credits.available_ms,
        reservedMs: credits.reserved_ms,
        consumedMs: credits.consumed_ms,
      },
      liveSessions,
    },
  };
}
