import { readDashboards } from './chart-files.ts';
import { findQueryProblems, readKnownSeries } from './queries.ts';

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const dashboards = readDashboards();
const known = readKnownSeries();

test('the dashboards keep their ids and titles, which links and bookmarks use', () => {
  expect(dashboards.map(([name, { uid, title }]) => [name, uid, title])).toEqual([
    ['model-pool.json', 'svc-asr-pool', 'svc-asr / model pool'],
    ['platform.json', 'svc-asr-platform', 'svc-asr / platform'],
    ['tenant.json', 'svc-asr-tenant', 'svc-asr / tenant'],
  ]);
});

describe.each(dashboards)('the dashboard %s', (_name, { id, schemaVersion, panels, templating }) => {
  const shown = panels.filter(({ type }) => type !== 'row');

  test('queries only metrics and labels that the code exports, in valid PromQL', () => {
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(5);
    expect(queries.flatMap((query) => findQueryProblems(query, known))).toEqual([]);
  });

  test('lists the values of its variables from metrics that the code exports', () => {
    const queries = templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]));
    const metrics = queries.map((query) => /^label_values\((\w+), \w+\)$/.exec(query)?.[1] ?? query);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((metric) => !known.has(metric))).toEqual([]);
  });

  test('has a description and a unit for each panel', () => {
    for (const { title, description, fieldConfig } of shown) {
      expect({ title, description, unit: fieldConfig?.defaults.unit }).toEqual({
        title,
        description: expect.stringMatching(/./),
        unit: expect.stringMatching(/./),
      });
    }
  });

  test('can be imported into any Grafana: it has no database id and no unset inputs', () => {
    expect(id ?? null).toBeNull();
    expect(schemaVersion).toBeGreaterThanOrEqual(36);
    const [first, ...others] = templating.list;
    expect(first).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const sources = [
      ...others.map(({ datasource }) => datasource),
      ...shown.flatMap(({ datasource, targets = [] }) => [datasource, ...targets.map((target) => target.datasource)]),
    ];
    expect(sources.length).toBeGreaterThan(10);
    for (const source of sources) expect(source).toEqual(SOURCE);
  });

  test('has only expanded rows, because the other tests ignore the panels of collapsed rows', () => {
    expect(panels.filter((panel) => (panel.panels ?? []).length > 0)).toEqual([]);
  });

  test('has unique panel and query ids and no overlapping panels', () => {
    expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length);
    for (const { targets = [] } of shown) expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([]);
  });
});
