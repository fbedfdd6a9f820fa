import { createLogger, readSettingsOrExit, runService } from '@svc-asr/runtime';
import { startOperator } from './operator.ts';
import { OPERATOR_SETTINGS } from './settings.ts';

/** Runs the operator until the process receives SIGTERM or SIGINT. */
export async function run(): Promise<void> {
  const settings = readSettingsOrExit('operator', OPERATOR_SETTINGS);
  const logger = createLogger('operator', settings.LOG_LEVEL);
  await runService(logger, settings.STOP_GRACE_MS, async () => (await startOperator(settings, logger)).stopSteps);
}
