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
 * Sorts the test files by kind. Files that start services take longest, and spend a part of this time waiting. They run
 * early, because cores would be idle if such a file ran last. Within each kind, the files that took longest in the last
 * run come first.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const kinds = new Map(sorted.map((test) => [test, KINDS.findIndex((isOf) => isOf(test.path))]));
    return KINDS.flatMap((_, kind) => sorted.filter((test) => kinds.get(test) === kind));
  }
};
