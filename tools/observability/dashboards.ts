import { buildDashboard } from './panels.ts';
import { PLATFORM } from './platform.ts';
import { POOL } from './pool.ts';
import { TENANT_DASHBOARD } from './tenant.ts';

/** Where they lie, from the repository's root: the chart brings them to the cluster. */
export const DASHBOARD_FOLDER = 'charts/svc-asr/files/dashboards';

/** Every dashboard by its file name, as Grafana imports it. */
export function buildDashboards(): Readonly<Record<string, string>> {
  const files = { 'platform.json': PLATFORM, 'model-pool.json': POOL, 'tenant.json': TENANT_DASHBOARD };
  return Object.fromEntries(
    Object.entries(files).map(([name, dashboard]) => [name, `${JSON.stringify(buildDashboard(dashboard), null, 2)}\n`]),
  );
}
