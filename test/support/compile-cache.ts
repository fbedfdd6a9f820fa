import { join } from 'node:path';

/**
 * For the environment of our own programs: most of their start is compiling sources, and tests start them some hundred
 * times. What is kept is checked against the source, so that it is never that of another version.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/compile'),
} as const;
