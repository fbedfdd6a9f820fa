import { buildDashboard } from './panels.ts';
import { PLATFORM } from './platform.ts';
import { POOL } from './pool.ts';
import { TENANT_DASHBOARD } from './tenant.ts';

/** Folder of the generated dashboards, relative to the repository root. The chart installs them. */
export const DASHBOARD_FOLDER = 'charts/svc-asr/files/dashboards';

/** Builds the dashboards in the import format of Grafana, by file name. */
export function buildDashboards(): Readonly<Record<string, string>> {
  const files = { 'platform.json': PLATFORM, 'model-pool.json': POOL, 'tenant.json': TENANT_DASHBOARD };
  return Object.fromEntries(
    Object.entries(files).map(([name, dashboard]) => [name, `${JSON.stringify(buildDashboard(dashboard), null, 2)}\n`]),
  );
}
