const { usesKubernetes } = require('./kubernetes-files.cjs');

/** Tests of the whole service, which run its real processes. */
const SERVICE = /\/test\/(conformance|faults|stream|telemetry)\//;

/**
 * Returns the suite of a test file.
 * @param {string} path
 */
function suiteOf(path) {
  if (usesKubernetes(path) || path.includes('/console/browser/')) return 'kubernetes';
  return SERVICE.test(path) ? 'service' : 'packages';
}

/**
 * Returns the test files of the suite that the environment variable TEST_SUITE names. jest calls this function for
 * `--filter`.
 * @param {string[]} paths
 */
const filter = async (paths) => ({ filtered: paths.filter((path) => suiteOf(path) === process.env['TEST_SUITE']) });

module.exports = Object.assign(filter, { suiteOf });
