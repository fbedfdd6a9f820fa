/** One query of a panel. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** A panel of a dashboard. */
export interface Panel {
  readonly title: string;
  readonly kind: 'timeseries' | 'stat' | 'table' | 'heatmap';
  /** What the panel shows and how to read it. */
  readonly description: string;
  readonly queries: readonly Query[];
  readonly unit?: 's' | 'percentunit' | 'reqps' | 'short' | 'ops' | 'ms';
  /** A latency target or another limit to draw. */
  readonly limit?: number;
  /** Width in columns of 24. */
  readonly width?: number;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** Variables in addition to data source and namespace. The query lists the values. */
  readonly variables: readonly { readonly name: string; readonly query: string }[];
  readonly rows: readonly Row[];
}

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const WIDTH = 24;
const HEIGHTS = { timeseries: 8, stat: 4, table: 8, heatmap: 8 } as const;
const SCHEMA_VERSION = 39;

/** Builds a dashboard in the import format of Grafana. */
export function buildDashboard(dashboard: Dashboard): object {
  return {
    uid: dashboard.uid,
    title: dashboard.title,
    description: dashboard.description,
    tags: ['svc-asr'],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: buildVariables(dashboard) },
    annotations: { list: [] },
    links: [
      { type: 'dashboards', title: 'svc-asr', tags: ['svc-asr'], asDropdown: false, includeVars: true, keepTime: true },
    ],
    panels: buildPanels(dashboard.rows),
  };
}

function buildVariables({ variables }: Dashboard): object[] {
  const first = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} };
  const queried = [{ name: 'namespace', query: 'label_values(svc_asr_streams, namespace)' }, ...variables];
  return [
    first,
    ...queried.map(({ name, query }) => ({
      name,
      label: name.charAt(0).toUpperCase() + name.slice(1),
      type: 'query',
      datasource: SOURCE,
      query: { query, refId: name },
      refresh: 2,
      sort: 1,
      includeAll: true,
      multi: true,
      // Also matches series without the label, for example outside of Kubernetes.
      allValue: '.*',
      current: { selected: true, text: ['All'], value: ['$__all'] },
    })),
  ];
}

function buildPanels(rows: readonly Row[]): object[] {
  const built: object[] = [];
  let [id, y] = [1, 0];
  for (const { title, panels } of rows) {
    let [x, rowHeight] = [0, 0];
    built.push({ id: id++, type: 'row', title, collapsed: false, gridPos: { h: 1, w: WIDTH, x: 0, y }, panels: [] });
    y += 1;
    for (const panel of panels) {
      const { width = WIDTH / 2, kind } = panel;
      if (x + width > WIDTH) {
        y += rowHeight;
        [x, rowHeight] = [0, 0];
      }
      rowHeight = Math.max(rowHeight, HEIGHTS[kind]);
      built.push({ id: id++, gridPos: { h: HEIGHTS[kind], w: width, x, y }, ...buildPanel(panel) });
      x += width;
    }
    y += rowHeight;
  }
  return built;
}

function buildPanel({ title, kind, description, queries, unit = 'short', limit }: Panel): object {
  const steps = [{ color: 'green', value: null }, ...(limit === undefined ? [] : [{ color: 'red', value: limit }])];
  const line = limit === undefined ? {} : { thresholdsStyle: { mode: 'dashed' } };
  return {
    type: kind,
    title,
    description,
    datasource: SOURCE,
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
      ...(kind === 'table' ? { format: 'table', instant: true } : {}),
      ...(kind === 'heatmap' ? { format: 'heatmap' } : {}),
    })),
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        thresholds: { mode: 'absolute', steps },
        custom: kind === 'timeseries' ? { fillOpacity: 8, lineWidth: 1, showPoints: 'never', ...line } : {},
      },
      overrides: [],
    },
    options: kind === 'timeseries' ? { tooltip: { mode: 'multi' }, legend: { displayMode: 'list' } } : {},
  };
}
