import { fileURLToPath } from 'node:url';
import base from '../../jest.config.mjs';

/** Tests on a real cluster: one after the other, each on what the ones before it left (`npm run e2e`). */
export default {
  ...base,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  roots: ['<rootDir>/test/e2e'],
  testMatch: ['**/*.e2e.ts'],
  testSequencer: fileURLToPath(new URL('sequencer.cjs', import.meta.url)),
  testTimeout: 240_000,
  maxWorkers: 1,
  // What comes after a failure stands on sand.
  bail: 1,
};
