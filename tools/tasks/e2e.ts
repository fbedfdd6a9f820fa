import { join } from 'node:path';
import { endRunning } from '../checks/command.ts';
import { runJest } from '../checks/jest.ts';
import { oneFrom, runStep, addUp, verdict } from '../checks/step.ts';
import { planPresent, startCluster } from '../cluster/cluster.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { takeDown } from '../cluster/down.ts';
import { findFreePort } from '../cluster/free-port.ts';
import { planCluster } from '../cluster/plan.ts';
import { buildImages } from '../images/build-all.ts';
import { root, say } from '../launch/terminal.mjs';
import { findPrevious } from '../previous/commit.ts';
import { buildRelease, removeRelease } from '../previous/release.ts';
import type { Release } from '../previous/release.ts';
import { homeOf } from '../start/home.ts';

/** With `--keep` the cluster stays, to be looked at. */
const keep = process.argv.includes('--keep');
const jestArgs = process.argv.slice(2).filter((argument) => argument !== '--keep');
const home = homeOf(process.env).path;
const NAME = 'e2e';
const NODES = 2;

/** Where the release of the commit before is built. */
const previousFolder = join(home, 'previous');
/** What this run cannot show. */
const notShown: string[] = [];

async function setUp(): Promise<void> {
  // A cluster that starts mostly waits, and a build computes: together they take as long as the build.
  const begun = [beginCluster(), build()] as const;
  // One that fails ends this step only when the other is over too: it would go on while all is torn down.
  await Promise.allSettled(begun);
  const [cluster, { images, previous }] = await Promise.all(begun);
  await cluster.importImages([...images.map(({ file }) => file), ...(previous?.files ?? [])]);
  const tag = images
    .find(({ reference }) => reference.includes('gateway'))
    ?.reference.split(':')
    .at(-1);
  const port = await findFreePort();
  Object.assign(process.env, { E2E_TAG: tag, E2E_CLUSTER: NAME, E2E_HOME: home, E2E_PORT: String(port) });
  if (previous !== undefined) {
    Object.assign(process.env, { E2E_PREVIOUS_CHART: previous.chart, E2E_PREVIOUS_TAG: previous.tag });
  }
  say(`tests: ${['CLUSTER', 'HOME', 'PORT', 'TAG', 'PREVIOUS_CHART', 'PREVIOUS_TAG'].map(describe).join(' ')}`);
}

async function beginCluster(): Promise<Cluster> {
  // One that a killed run left is not what these tests begin with.
  await removeCluster();
  const cluster = await startCluster({ name: NAME, home, nodes: NODES, say });
  say(`cluster: export KUBECONFIG=${cluster.kubeconfig}`);
  return cluster;
}

async function build() {
  const images = await buildImages({ root, out: join(home, 'images') });
  say(`images: ${images.map(({ reference }) => reference).join(', ')}`);
  return { images, previous: await buildPrevious() };
}

const describe = (name: string) => `E2E_${name}=${process.env[`E2E_${name}`] ?? ''}`;

/** The release that is upgraded from. Without one this commit is upgraded to itself, which shows less. */
async function buildPrevious(): Promise<Release | undefined> {
  const previous = findPrevious(root);
  if ('missing' in previous) {
    notShown.push(`an upgrade from the commit before: ${previous.missing}`);
    return undefined;
  }
  say(`upgrades start from ${previous.commit}`);
  try {
    return await buildRelease(root, previous.commit, previousFolder);
  } catch (error) {
    // Else the commit that repairs a broken one could not pass.
    notShown.push(`an upgrade from ${previous.commit}, which cannot be built: ${String(error)}`);
    return undefined;
  }
}

const removeCluster = () => takeDown(planPresent(planCluster({ name: NAME, home, nodes: NODES }), home));

async function tearDown(): Promise<number> {
  if (keep) return 0;
  await removeCluster();
  removeRelease(previousFolder);
  return 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.on(signal, () => {
    endRunning();
    void tearDown().finally(() => process.exit(130));
  });
}
const tallies = [
  await runStep('set-up', async () => {
    await setUp();
    return { passed: 0, failed: 0, skipped: 0 };
  }),
];
if (tallies[0]?.failed === 0) {
  const config = join(root, 'test/e2e/jest.config.mjs');
  tallies.push(await runStep('tests', () => runJest(['--config', config, ...jestArgs])));
}
tallies.push(await runStep('tear-down', async () => oneFrom(await tearDown())));
for (const what of notShown) say(`not shown: ${what}`);
const total = addUp(tallies);
process.stdout.write(`${verdict(total)}\n`);
process.exit(total.failed === 0 ? 0 : 1);
