import { join } from 'node:path';

/**
 * Environment variables that let our own programs cache compiled code. Compilation takes most of their start time, and
 * tests start them hundreds of times. Node checks each cached entry against its source.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/compile'),
} as const;
