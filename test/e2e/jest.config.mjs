import { fileURLToPath } from 'node:url';
import base from '../../jest.config.mjs';

/**
 * Tests on a real cluster (`npm run e2e`). They run one after the other, and each test depends on the tests before it.
 */
export default {
  ...base,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  // E2E_SUITE is the name of a folder in test/.
  roots: [`<rootDir>/test/${process.env.E2E_SUITE ?? 'e2e'}`],
  testMatch: ['**/*.e2e.ts'],
  globalSetup: fileURLToPath(new URL('global-setup.ts', import.meta.url)),
  testSequencer: fileURLToPath(new URL('sequencer.cjs', import.meta.url)),
  testTimeout: 240_000,
  maxWorkers: 1,
  verbose: true,
  // A failed test leaves a state that the tests after it do not expect.
  bail: 1,
};
