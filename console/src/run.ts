import { createLogger, readSettingsOrExit, runService } from '@svc-asr/runtime';
import { CONSOLE_SETTINGS } from './settings.ts';
import { startConsole } from './start.ts';

/** Runs the console until it receives a signal to stop. */
export async function run(): Promise<void> {
  const settings = readSettingsOrExit('console', CONSOLE_SETTINGS);
  const logger = createLogger('console', settings.LOG_LEVEL);
  await runService(logger, settings.STOP_GRACE_MS, async () => (await startConsole(settings, logger)).steps);
}
