const { default: Sequencer } = require('@jest/test-sequencer');

/** Kinds of test files, in the order in which they run. */
const KINDS = [
  // Start services.
  /\.integration\.test\.ts$|\/test\/conformance\//,
  // Load models or run commands.
  /\/worker\/src\/(engine|model|golden)|\/packages\/cli\//,
  /./,
];

/**
 * Runs test files that start services first. They take longest and wait for part of their time, so a run that started
 * one of them last would leave cores idle. Among each kind, files that took longest in the last run come first.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const kindOf = ({ path }) => KINDS.findIndex((kind) => kind.test(path));
    return KINDS.flatMap((_, index) => sorted.filter((test) => kindOf(test) === index));
  }
};
