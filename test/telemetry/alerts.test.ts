import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SERVICE_METRICS } from '../../tools/docs/service-metrics.ts';
import { readAlerts, readDashboards } from './chart-files.ts';
import { findQueryProblems, readKnownSeries } from './queries.ts';

const RUNBOOKS = resolve(import.meta.dirname, '../../docs/runbooks');
const rules = readAlerts();
const known = readKnownSeries();

describe.each(rules.map((rule) => [rule.alert, rule] as const))('the alert %s', (name, rule) => {
  test('queries only metrics and labels that the code exports, in valid PromQL', () => {
    expect(findQueryProblems(rule.expr, known)).toEqual([]);
  });

  test('has a severity, a summary, a description and a runbook', () => {
    expect(['warning', 'critical']).toContain(rule.labels.severity);
    expect(rule.for).toMatch(/^\d+[smh]$/);
    expect(rule.annotations).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
    expect(rule.annotations.runbook_url).toBe(`docs/runbooks/${name}.md`);
    const runbook = readFileSync(join(RUNBOOKS, `${name}.md`), 'utf8');
    for (const part of [`# ${name}: `, '## Diagnosis', '## Resolution']) expect(runbook).toContain(part);
  });
});

test('each runbook belongs to an alert and is listed in docs/runbooks/README.md', () => {
  const pages = readdirSync(RUNBOOKS).filter((page) => page !== 'README.md');
  expect(pages.sort()).toEqual(rules.map(({ alert }) => `${alert}.md`).sort());
  const list = readFileSync(join(RUNBOOKS, 'README.md'), 'utf8');
  for (const page of pages) expect(list).toContain(`](${page})`);
});

test('every panel that a runbook names exists in a dashboard', () => {
  const titles = readDashboards().flatMap(([, { panels }]) => panels.map(({ title }) => title));
  const names = readdirSync(RUNBOOKS).flatMap((page) => {
    // Text in italics that starts with a capital is the title of a panel. Log messages are in italics too, but start
    // with a lower-case letter.
    const text = readFileSync(join(RUNBOOKS, page), 'utf8').replace(/\s+/g, ' ');
    return [...text.matchAll(/(?<![*\w])\*([A-Z][^*]+)\*(?!\*)/g)].map(([, name = '']) => `${page}: ${name}`);
  });
  expect(names.length).toBeGreaterThan(5);
  const isUnknown = (name: string) => !titles.some((title) => title.includes(name.replace(/^.*?: /, '')));
  expect(names.filter(isUnknown)).toEqual([]);
});

test('no metric of a service has a session or key as a label, and only the opt-in metrics have a tenant as a label', () => {
  const labels = Object.values(SERVICE_METRICS).flatMap((list) =>
    Object.values(list).flatMap(({ name, labels: own = [] }) => own.map((label) => ({ name, label }))),
  );
  expect(labels.filter(({ label }) => /session|key|credential|id$/.test(label))).toEqual([]);
  const byTenant = labels.filter(({ label }) => label.includes('tenant')).map(({ name }) => name);
  expect(byTenant.filter((name) => !name.startsWith('svc_asr_tenant_'))).toEqual([]);
});
