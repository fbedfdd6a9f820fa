import { join } from 'node:path';
import { runJestOnce } from '../checks/jest.ts';
import { oneFrom, runStep, addUp, verdict } from '../checks/step.ts';
import { planPresent, startCluster } from '../cluster/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { takeDown } from '../cluster/down.ts';
import { findFreePort } from '../cluster/free-port.ts';
import { planCluster } from '../cluster/plan.ts';
import { buildImages } from '../images/build-all.ts';
import { root, say } from '../launch/terminal.mjs';
import { homeOf } from '../start/home.ts';

/** With `--keep` the cluster stays, to be looked at. */
const keep = process.argv.includes('--keep');
const jestArgs = process.argv.slice(2).filter((argument) => argument !== '--keep');
const home = homeOf(process.env).path;
const NAME = 'e2e';
const NODES = 2;

async function setUp(): Promise<void> {
  const images = await buildImages({ root, out: join(home, 'images') });
  say(`images: ${images.map(({ reference }) => reference).join(', ')}`);
  // One that a killed run left is not what these tests begin with.
  await removeCluster();
  const cluster: Cluster = await startCluster({ name: NAME, home, nodes: NODES, say });
  say(`cluster: export KUBECONFIG=${cluster.kubeconfig}`);
  await cluster.importImages(images.map(({ file }) => file));
  process.env.E2E_TAG = images
    .find(({ reference }) => reference.includes('gateway'))
    ?.reference.split(':')
    .at(-1);
  process.env.E2E_CLUSTER = NAME;
  process.env.E2E_HOME = home;
  process.env.E2E_PORT = String(await findFreePort());
}

const removeCluster = () => takeDown(planPresent(planCluster({ name: NAME, home, nodes: NODES }), home));

async function tearDown(): Promise<number> {
  if (!keep) await removeCluster();
  return 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.on(signal, () => void tearDown().finally(() => process.exit(130)));
}
const tallies = [
  await runStep('set-up', async () => {
    await setUp();
    return { passed: 0, failed: 0, skipped: 0 };
  }),
];
if (tallies[0]?.failed === 0) {
  const config = join(root, 'test/e2e/jest.config.mjs');
  tallies.push(await runStep('tests', () => runJestOnce(['--config', config, ...jestArgs])));
}
tallies.push(await runStep('tear-down', async () => oneFrom(await tearDown())));
const total = addUp(tallies);
process.stdout.write(`${verdict(total)}\n`);
process.exit(total.failed === 0 ? 0 : 1);
