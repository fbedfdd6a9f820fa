import { join } from 'node:path';

/**
 * Environment for our own programs. Compilation is most of their start, and tests start them hundreds of times. Node
 * checks each cached entry against its source.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/compile'),
} as const;
