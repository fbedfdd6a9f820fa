import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILE_CACHE } from './test/support/compile-cache.ts';

const FOLDERS = ['packages', 'gateway', 'operator', 'console', 'worker', 'tools', 'bench', 'loadtest', 'test'];

// These variables enable the compile cache. Jest workers and the threads that tests start inherit them.
Object.assign(process.env, COMPILE_CACHE);

/** Node itself loads the tests and the sources that they import, and strips their types. */
export default {
  globalSetup: '<rootDir>/test/support/bundle-programs.ts',
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  runtime: '<rootDir>/test/support/native-runtime.cjs',
  roots: FOLDERS.filter((folder) => existsSync(join(import.meta.dirname, folder))).map(
    (folder) => `<rootDir>/${folder}`,
  ),
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  transform: {},
  moduleNameMapper: {
    // Workspaces are tested from their sources rather than from the last build.
    '^@svc-asr/core/stream$': '<rootDir>/packages/core/src/stream/index.ts',
    '^@svc-asr/core/subtitles$': '<rootDir>/packages/core/src/subtitles/index.ts',
    '^@svc-asr/client/internal$': '<rootDir>/packages/client/src/internal.ts',
    '^@svc-asr/(core|ledger|runtime|kubernetes|client|decoders|api-docs)$': '<rootDir>/packages/$1/src/index.ts',
    '^@svc-asr/(gateway|operator|console|worker)$': '<rootDir>/$1/src/index.ts',
  },
  // This timeout is long enough for a busy machine. Only a failing test takes that long.
  testTimeout: 120_000,
  // Twice the number of cores of a small machine, because test files that start services mostly wait.
  maxWorkers: 4,
  // On a busy machine, a jest worker can need more than the usual 0.5 s to exit.
  workerGracefulExitTimeout: 10_000,
  // Maximum number of concurrent tests in a test file. Concurrent tests mostly wait, for example until a lease has
  // expired.
  maxConcurrency: 10,
};
