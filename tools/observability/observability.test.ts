import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../launch/terminal.mjs';
import { readAlerts } from './alerts.ts';
import { buildDashboards, DASHBOARD_FOLDER } from './dashboards.ts';
import { exportedSeries, SERVICE_METRICS } from './exported.ts';
import { groupingsOf, selectorsOf } from './promql.ts';

const files = join(root, 'charts/svc-asr/files');
const rules = readAlerts();

/** Labels that Prometheus adds when it scrapes. */
const SCRAPED = ['namespace', 'pod', 'instance', 'job'];

/** Returns the series that kube-state-metrics creates from Tenant resources with the chart's configuration. */
function tenantSeries(): Map<string, string[]> {
  interface Resource {
    metricNamePrefix: string;
    labelsFromPath: Record<string, string[]>;
    metrics: { name: string; each: { stateSet?: { labelName: string } } }[];
  }
  const { spec } = parse(readFileSync(join(files, 'kube-state-metrics.yaml'), 'utf8')) as {
    spec: { resources: Resource[] };
  };
  return new Map(
    spec.resources.flatMap(({ metricNamePrefix, labelsFromPath, metrics }) =>
      metrics.map(({ name, each }) => {
        const own = each.stateSet === undefined ? [] : [each.stateSet.labelName];
        return [`${metricNamePrefix}_${name}`, [...Object.keys(labelsFromPath), ...own]] as const;
      }),
    ),
  );
}

const known = new Map([...exportedSeries(), ...tenantSeries()]);

/** Returns the unknown metrics and labels of a query. */
function problemsOf(query: string): string[] {
  const selectors = selectorsOf(query);
  const unknown = selectors.filter(({ metric }) => !known.has(metric)).map(({ metric }) => `no metric ${metric}`);
  const labels = new Set([...SCRAPED, ...selectors.flatMap(({ metric }) => known.get(metric) ?? [])]);
  const missing = selectors.flatMap(({ metric, labels: asked }) =>
    asked
      .filter((label) => ![...SCRAPED, ...(known.get(metric) ?? [])].includes(label))
      .map((l) => `${metric} has no ${l}`),
  );
  const strange = groupingsOf(query).filter((label) => !labels.has(label));
  return [...unknown, ...missing, ...strange.map((label) => `nothing in it has a label ${label}`)];
}

interface DashboardFile {
  panels: { title: string; description?: string; targets?: { expr: string }[] }[];
  templating: { list: { query: string | { query: string } }[] };
}

describe.each(Object.entries(buildDashboards()))('the dashboard %s', (name, text) => {
  const { panels, templating } = JSON.parse(text) as DashboardFile;

  test('equals the file in the chart, which npm run docs generates', () => {
    expect(readFileSync(join(root, DASHBOARD_FOLDER, name), 'utf8')).toBe(text);
  });

  test('queries only metrics and labels that the code exports', () => {
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(5);
    expect(queries.flatMap(problemsOf)).toEqual([]);
    const listed = templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query));
    const sources = listed.flatMap((query) => /^label_values\((\w+),/.exec(query)?.[1] ?? []);
    expect(sources.filter((metric) => !known.has(metric))).toEqual([]);
  });

  test('has a description for each panel', () => {
    const undescribed = panels.filter(({ targets, description = '' }) => targets !== undefined && description === '');
    expect(undescribed).toEqual([]);
  });
});

test('the chart has no dashboards except the generated ones', () => {
  expect(readdirSync(join(root, DASHBOARD_FOLDER)).sort()).toEqual(Object.keys(buildDashboards()).sort());
});

describe.each(rules.map((rule) => [rule.alert, rule] as const))('the alert %s', (name, rule) => {
  test('queries only metrics and labels that the code exports', () => {
    expect(selectorsOf(rule.expr).length).toBeGreaterThan(0);
    expect(problemsOf(rule.expr)).toEqual([]);
  });

  test('has a severity, a summary, a description and a runbook', () => {
    expect(['warning', 'critical']).toContain(rule.labels.severity);
    expect(rule.for).toMatch(/^\d+[smh]$/);
    expect(rule.annotations).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
    expect(rule.annotations.runbook_url).toBe(`docs/runbooks/${name}.md`);
    const runbook = readFileSync(join(root, `docs/runbooks/${name}.md`), 'utf8');
    for (const part of [`# ${name}: `, '## Diagnosis', '## Resolution']) expect(runbook).toContain(part);
  });
});

test('each runbook belongs to an alert and is listed in the README', () => {
  const folder = join(root, 'docs/runbooks');
  const pages = readdirSync(folder).filter((page) => page !== 'README.md');
  expect(pages.sort()).toEqual(rules.map(({ alert }) => `${alert}.md`).sort());
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const page of pages) expect(list).toContain(`](${page})`);
  expect(existsSync(join(folder, 'README.md'))).toBe(true);
});

test('no metric of a service has a tenant, session or key as a label', () => {
  const labels = Object.values(SERVICE_METRICS).flatMap((list) =>
    Object.values(list).flatMap((one) => one.labels ?? []),
  );
  expect(labels.filter((label) => /tenant|session|key|credential|id$/.test(label))).toEqual([]);
});
