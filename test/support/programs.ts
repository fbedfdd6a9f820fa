import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Name of the environment variable with the folder of the bundled services. `npm start` reads it too. */
export const PROGRAMS_VARIABLE = 'SVC_ASR_PROGRAMS';

/** Service that tests start as a process. */
export type Program = 'gateway' | 'operator' | 'console' | 'worker';

/**
 * Returns the folder of the services that tests start. In jest, it is the folder of the bundled services. Outside of
 * jest, for example in benchmarks, it is the repository, whose `dist` folders have the compiled services.
 */
export function programsFolder(): string {
  return process.env[PROGRAMS_VARIABLE] ?? ROOT;
}

/** Returns the main file of a service. */
export function programFile(program: Program): string {
  return join(programsFolder(), program, 'dist/main.js');
}
