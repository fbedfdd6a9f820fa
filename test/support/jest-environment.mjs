import { TestEnvironment } from 'jest-environment-node';
import kubernetesFiles from './kubernetes-files.cjs';
import { createSharedServers } from './shared-servers.ts';

/** One object per jest worker. It outlives the test files, whose modules are loaded again for each of them. */
const sharedServers = createSharedServers();

/** The environment of jest for Node.js, with servers that the test files of a worker share. */
export default class SharingEnvironment extends TestEnvironment {
  /** @type {Set<() => Promise<unknown>>} */
  #leftovers = new Set();
  /** @type {string} */
  #path;

  /** @param {ConstructorParameters<typeof TestEnvironment>} args */
  constructor(...args) {
    super(...args);
    this.#path = args[1].testPath;
  }

  /** @override */
  async setup() {
    await super.setup();
    // Files that need it come first. Even idle, it takes a part of a core.
    if (!kubernetesFiles.usesKubernetes(this.#path)) await sharedServers.endControlPlane();
    this.global.sharedServers = sharedServers;
    this.global.leftovers = this.#leftovers;
  }

  /** Ends what the test file has not ended, newest first. @override */
  async teardown() {
    for (const end of [...this.#leftovers].reverse()) await end().catch(() => undefined);
    await super.teardown();
  }
}
