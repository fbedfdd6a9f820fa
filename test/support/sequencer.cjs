const { default: Sequencer } = require('@jest/test-sequencer');

const STARTS_SERVICES = /\.integration\.test\.ts$|\/test\/conformance\//;

/**
 * Runs test files that start services first. They take longest and wait for part of their time, so a run that started
 * one of them last would leave cores idle. Among each kind, files that took longest in the last run come first.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const startsServices = ({ path }) => STARTS_SERVICES.test(path);
    return [...sorted.filter(startsServices), ...sorted.filter((test) => !startsServices(test))];
  }
};
