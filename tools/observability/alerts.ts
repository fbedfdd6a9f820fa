import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../launch/terminal.mjs';

/** An alert rule of Prometheus. */
export interface AlertRule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

/** Reads the alert rules of the chart. */
export function readAlerts(): AlertRule[] {
  const text = readFileSync(join(root, 'charts/svc-asr/files/alerts.yaml'), 'utf8');
  return (parse(text) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(({ rules }) => rules);
}
