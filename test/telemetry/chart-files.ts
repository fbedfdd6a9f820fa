import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { TenantMetricsConfig } from './tenant-metrics.ts';

const FILES = resolve(import.meta.dirname, '../../charts/svc-asr/files');
const DASHBOARDS = join(FILES, 'dashboards');
export const ALERTS_FILE = join(FILES, 'alerts.yaml');

/** The part of a Grafana dashboard that the tests check. */
export interface Dashboard {
  uid: string;
  title: string;
  id?: unknown;
  schemaVersion: number;
  templating: { list: { name: string; type: string; query: string | { query: string }; datasource?: unknown }[] };
  panels: {
    id: number;
    type: string;
    title: string;
    description?: string;
    datasource?: unknown;
    gridPos: { x: number; y: number; w: number; h: number };
    fieldConfig?: { defaults: { unit?: string } };
    targets?: { refId: string; expr: string; datasource: unknown }[];
    /** Panels of a collapsed row. */
    panels?: unknown[];
  }[];
}

/** An alert rule of Prometheus. */
export interface AlertRule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

/** Reads the dashboards of the chart, with their file names. */
export function readDashboards(): [string, Dashboard][] {
  return readdirSync(DASHBOARDS)
    .sort()
    .map((name) => [name, JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')) as Dashboard]);
}

/** Reads the alert rules of the chart. */
export function readAlerts(): AlertRule[] {
  const { groups } = parse(readFileSync(ALERTS_FILE, 'utf8')) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** Reads the configuration of kube-state-metrics in the chart. */
export function readTenantMetricsConfig(): TenantMetricsConfig {
  return parse(readFileSync(join(FILES, 'kube-state-metrics.yaml'), 'utf8')) as TenantMetricsConfig;
}
