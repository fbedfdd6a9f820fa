import { ModuleMocker } from 'jest-mock';
import kubernetesFiles from './kubernetes-files.cjs';
import { createSharedServers } from './shared-servers.ts';

/** One object per jest worker. It outlives the test files. */
const sharedServers = createSharedServers();

/** Property of the global object in which jest-circus keeps its event handlers. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * The environment of a test file. The test files of a jest worker share its global object, its modules and the servers
 * of `sharedServers`.
 */
export default class SharingEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  // No test uses the fake timers of jest.
  fakeTimers = null;
  fakeTimersModern = null;
  /** @type {Set<() => Promise<unknown>>} */
  #leftovers = new Set();
  /** @type {string} */
  #path;
  /** Values that jest or a test file may replace. `teardown` restores them. */
  #before = { console: globalThis.console, exit: process.exit, env: { ...process.env } };

  /**
   * @param {unknown} _config
   * @param {{ testPath: string }} context
   */
  constructor(_config, { testPath }) {
    this.#path = testPath;
  }

  /** jest asks for a context to load modules in. `NativeRuntime` does not need one. */
  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {
    // Test files that need the API server run first. Every other file ends the API server if it still runs, because
    // even an idle API server uses processor time.
    if (!kubernetesFiles.usesKubernetes(this.#path)) await sharedServers.endControlPlane();
    this.global.sharedServers = sharedServers;
    this.global.leftovers = this.#leftovers;
  }

  /** Ends everything that the test file has started but not ended, the newest first. */
  async teardown() {
    for (const end of [...this.#leftovers].reverse()) await end().catch(() => undefined);
    // Otherwise the handlers of this file would also receive the events of the next file.
    Reflect.deleteProperty(globalThis, EVENT_HANDLERS);
    globalThis.console = this.#before.console;
    process.exit = this.#before.exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#before.env)) delete process.env[name];
    Object.assign(process.env, this.#before.env);
  }
}
