import { ERRORS } from '@svc-asr/core';
import { LOG_FIELDS } from '@svc-asr/runtime';
import { CONSOLE_SETTINGS } from '../../console/src/settings.ts';
import { GATEWAY_SETTINGS } from '../../gateway/src/settings.ts';
import { OPERATOR_SETTINGS } from '../../operator/src/settings.ts';
import { ARTIFACT_SETTINGS, WORKER_SETTINGS } from '../../worker/src/settings.ts';
import { buildErrorsPage } from './errors-page.ts';
import { SERVICE_METRICS } from '../observability/exported.ts';
import { buildLogsPage } from './logs-page.ts';
import { buildMetricsPage } from './metrics-page.ts';
import { buildSettingsPage } from './settings-page.ts';

/** Every generated page of docs/, by file name. */
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
  };
}
