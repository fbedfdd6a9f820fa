import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPages } from '../docs/pages.ts';
import { root, say } from '../launch/terminal.mjs';
import { buildDashboards, DASHBOARD_FOLDER } from '../observability/dashboards.ts';

for (const [name, page] of Object.entries(buildPages())) {
  writeFileSync(join(root, 'docs', name), page);
  say(`docs/${name}`);
}

for (const [name, dashboard] of Object.entries(buildDashboards())) {
  writeFileSync(join(root, DASHBOARD_FOLDER, name), dashboard);
  say(`${DASHBOARD_FOLDER}/${name}`);
}
