const { readFileSync } = require('node:fs');

const IMPORT = /\b(borrow|start)Kubernetes\b|\/(cluster-stage|test-cluster)\.ts'/;

/**
 * Returns whether a test file needs a Kubernetes API.
 * @param {string} path
 */
function usesKubernetes(path) {
  return path.endsWith('.integration.test.ts') && IMPORT.test(readFileSync(path, 'utf8'));
}

module.exports = { usesKubernetes };
