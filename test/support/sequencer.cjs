const { default: Sequencer } = require('@jest/test-sequencer');
const { usesKubernetes } = require('./kubernetes-files.cjs');

/** Kinds of test files, in the order in which they run. */
const KINDS = [
  // Files that share API servers. The servers end with the last of these files.
  usesKubernetes,
  // Files that start services.
  (path) => /\.integration\.test\.ts$|\/test\/conformance\//.test(path),
  // Files that load models or run commands.
  (path) => /\/worker\/src\/(engine|model|golden)|\/packages\/cli\//.test(path),
  () => true,
];

/**
 * Runs test files that start services first. They take longest and wait for part of their time, so a run that started
 * one of them last would leave cores idle. Among each kind, files that took longest in the last run come first.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const kinds = new Map(sorted.map((test) => [test, KINDS.findIndex((isOf) => isOf(test.path))]));
    return KINDS.flatMap((_, kind) => sorted.filter((test) => kinds.get(test) === kind));
  }
};
