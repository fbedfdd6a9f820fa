import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@svc-asr/core';
import { LOG_FIELDS } from '@svc-asr/runtime';
import { CONSOLE_SETTINGS } from '../../console/src/settings.ts';
import { GATEWAY_SETTINGS } from '../../gateway/src/settings.ts';
import { OPERATOR_SETTINGS } from '../../operator/src/settings.ts';
import { ARTIFACT_SETTINGS, WORKER_SETTINGS } from '../../worker/src/settings.ts';
import { root } from '../launch/terminal.mjs';
import { buildOptionTable, buildScenarioTable } from '../../loadtest/runner/help.ts';
import { buildErrorsPage } from './errors-page.ts';
import { buildLogsPage } from './logs-page.ts';
import { buildMetricsPage } from './metrics-page.ts';
import { renewTables } from './renew-tables.ts';
import { SERVICE_METRICS } from './service-metrics.ts';
import { buildSettingsPage } from './settings-page.ts';

/** Builds every page of docs/ that is generated or has generated tables, by file name. */
export function buildPages(): Readonly<Record<string, string>> {
  return {
    'settings.md': buildSettingsPage({
      gateway: GATEWAY_SETTINGS,
      worker: { ...WORKER_SETTINGS, ...ARTIFACT_SETTINGS },
      operator: OPERATOR_SETTINGS,
      console: CONSOLE_SETTINGS,
    }),
    'errors.md': buildErrorsPage(ERRORS),
    'logs.md': buildLogsPage(LOG_FIELDS),
    'metrics.md': buildMetricsPage(SERVICE_METRICS),
    'load-testing.md': renewTables(readFileSync(join(root, 'docs/load-testing.md'), 'utf8'), [
      buildScenarioTable(),
      buildOptionTable(),
    ]),
  };
}
