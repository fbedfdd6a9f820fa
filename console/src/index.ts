export { CONSOLE_ERRORS } from './errors.ts';
export { CONSOLE_SETTINGS } from './settings.ts';
export type { ConsoleSettings } from './settings.ts';
export { startConsole } from './start.ts';
