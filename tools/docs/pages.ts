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
import { renewTables } from './markdown.ts';
import { buildErrorsPage, buildLogsPage, buildMetricsPage, buildSettingsPage } from './reference-pages.ts';
import { SERVICE_METRICS } from './service-metrics.ts';

/** Builds every page that is generated or has generated tables, by its path from the root of the repository. */
export function buildPages(): Readonly<Record<string, string>> {
  return {
    'docs/settings.md': buildSettingsPage({
      gateway: GATEWAY_SETTINGS,
      worker: { ...WORKER_SETTINGS, ...ARTIFACT_SETTINGS },
      operator: OPERATOR_SETTINGS,
      console: CONSOLE_SETTINGS,
    }),
    'docs/errors.md': buildErrorsPage(ERRORS),
    'docs/logs.md': buildLogsPage(LOG_FIELDS),
    'docs/metrics.md': buildMetricsPage(SERVICE_METRICS),
    'docs/load-testing.md': renewTables(readFileSync(join(root, 'docs/load-testing.md'), 'utf8'), [
      buildScenarioTable(),
      buildOptionTable(),
    ]),
  };
}
