/** Integration tests of the packages, of gateway, operator and worker, and of the whole system. */
const ALL = '/(packages|gateway|operator|worker|test)/.*\\.integration\\.test\\.ts$';

/** Tests for CI: connections of each kind, the scripts and functions of the ledger, and a failover during a stream. */
const SHORT = [
  'packages/ledger/src/redis/',
  'packages/ledger/src/functions.integration',
  'packages/ledger/src/leases.integration',
  'packages/ledger/src/ledger.integration',
  'packages/ledger/src/worker-users.integration',
  'test/faults/sentinel.integration',
] as const;

/** Returns the test patterns for jest. Without arguments, they select all tests. `--short` selects the tests for CI. */
export function chooseTests(args: readonly string[]): readonly string[] {
  if (args.length === 0) return [ALL];
  return args.flatMap((argument) => (argument === '--short' ? SHORT : [argument]));
}
