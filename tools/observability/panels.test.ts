import { buildDashboards } from './dashboards.ts';

interface Built {
  schemaVersion: number;
  uid: string;
  templating: { list: { name: string; type: string; query: unknown; datasource?: unknown }[] };
  panels: {
    id: number;
    type: string;
    datasource?: unknown;
    gridPos: { x: number; y: number; w: number; h: number };
    fieldConfig?: { defaults: { unit?: string } };
    targets?: { refId: string; datasource: unknown }[];
  }[];
}

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const dashboards = Object.entries(buildDashboards()).map(([name, text]) => [name, JSON.parse(text) as Built] as const);

describe.each(dashboards)('the dashboard %s for Grafana', (_name, { schemaVersion, panels, templating }) => {
  const shown = panels.filter(({ type }) => type !== 'row');

  test('has unique panel ids and no overlapping panels', () => {
    expect(schemaVersion).toBeGreaterThanOrEqual(36);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([]);
  });

  test('uses the selected data source and has a unit for each panel', () => {
    const [first, ...others] = templating.list;
    expect(first).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const sources = [
      ...others.map(({ datasource }) => datasource),
      ...shown.flatMap(({ datasource, targets = [] }) => [datasource, ...targets.map((target) => target.datasource)]),
    ];
    expect(sources.length).toBeGreaterThan(10);
    for (const source of sources) expect(source).toEqual(SOURCE);
    for (const { targets = [], fieldConfig } of shown) {
      expect(fieldConfig?.defaults.unit).toEqual(expect.stringMatching(/./));
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
  });
});

test('the dashboards have unique ids', () => {
  expect(new Set(dashboards.map(([, { uid }]) => uid)).size).toBe(dashboards.length);
});
