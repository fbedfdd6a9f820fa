import { join } from 'node:path';
import { endRunning } from '../checks/command.ts';
import { runJest } from '../checks/jest.ts';
import { addUp, oneFrom, runStep, verdict } from '../checks/step.ts';
import { parseE2eArguments, SUITES, USAGE } from '../e2e/arguments.ts';
import type { E2eArguments } from '../e2e/arguments.ts';
import { findMissingImages, listNodes, openTarget, removeOwnCluster, startOwnTarget } from '../e2e/target.ts';
import type { Archive, Target } from '../e2e/target.ts';
import { buildImages } from '../images/build-all.ts';
import { messageOf, onStop, root, logProgress, stop, userPath } from '../launch/terminal.mjs';
import { findPrevious } from '../previous/commit.ts';
import { buildRelease, removeRelease } from '../previous/release.ts';
import { homeOf } from '../start/home.ts';
import { freePort } from '../start/ports.ts';

const home = homeOf(process.env).path;
const previousFolder = join(home, 'previous');
/** Parts that this run does not test, each with the reason. */
const notTested: string[] = [];
/** Patterns of the test files to leave out. */
const excluded: string[] = [];
let target: Target | undefined;

function parse(): E2eArguments {
  try {
    const parsed = parseE2eArguments(process.argv.slice(2));
    if (parsed !== undefined) return parsed;
  } catch (error) {
    stop(messageOf(error));
  }
  process.stdout.write(USAGE);
  process.exit(0);
}

const args = parse();
const { kubeconfig, registry, loadCommand } = args;

async function setUp(): Promise<void> {
  // The start of a cluster mostly waits, and a build uses the CPU. So both run at the same time.
  const opened = open();
  const presentBuilt = buildPresent();
  const previousBuilt = presentBuilt.then(buildPrevious);
  const steps = [opened, deliver(opened, presentBuilt), deliver(opened, previousBuilt)] as const;
  // Waits for all steps. If one step fails, the other steps must end before the tear-down.
  await Promise.allSettled([...steps, presentBuilt, previousBuilt]);
  const [{ tools, registry: images }, present, previous] = await Promise.all(steps);

  for (const name of args.without) exclude(name, '--without');
  const nodes = await listNodes(tools);
  const [accessNode = '', ...others] = nodes;
  if (others.length === 0) {
    const why = 'the cluster has a single node that accepts pods';
    if (args.suite === 'pools') throw new Error(`the suite ${args.suite} needs two nodes: ${why}`);
    for (const name of ['drain', 'pools']) exclude(name, why);
  }
  const settings = {
    E2E_KUBECONFIG: tools.kubeconfig,
    E2E_FOLDER: join(home, 'e2e'),
    E2E_REGISTRY: images,
    E2E_TAG: present.tag,
    E2E_SUITE: SUITES[args.suite],
    E2E_PORT: String(await freePort('127.0.0.1')),
    E2E_ADMIN_PORT: String(await freePort('127.0.0.1')),
    E2E_PLAIN_ADMIN_PORT: String(await freePort('127.0.0.1')),
    E2E_ACCESS_NODE: accessNode,
    E2E_DRAIN_NODE: others.at(-1) ?? '',
    ...(previous.chart === '' ? {} : { E2E_PREVIOUS_CHART: previous.chart, E2E_PREVIOUS_TAG: previous.tag }),
  };
  Object.assign(process.env, settings);
  logProgress(
    `environment of the tests: ${Object.entries(settings)
      .map((entry) => entry.join('='))
      .join(' ')}`,
  );
}

async function open(): Promise<Target> {
  target =
    kubeconfig === undefined
      ? await startOwnTarget(home, logProgress)
      : await openTarget(args, userPath(kubeconfig), home);
  return target;
}

/** Images of one version, and its chart. */
interface Version {
  archives: readonly Archive[];
  tag: string;
  /** Folder of the chart. Empty for this commit, whose chart is in the repository. */
  chart: string;
}

async function buildPresent(): Promise<Version> {
  const archives = await buildImages({ root, out: join(home, 'images') });
  const [first] = archives;
  return { archives, tag: first?.reference.split(':').at(-1) ?? '', chart: '' };
}

/** Brings the images of a version to the cluster, or checks that they were loaded before. */
async function deliver(opened: Promise<Target>, built: Promise<Version>): Promise<Version> {
  const [{ deliver: deliverArchives, tools }, version] = await Promise.all([opened, built]);
  const references = version.archives.map(({ reference }) => reference);
  if (deliverArchives !== undefined) await deliverArchives(version.archives);
  const missing = deliverArchives === undefined ? await findMissingImages(tools, references) : [];
  if (missing.length === 0) return version;
  const folder = join(home, 'images');
  throw new Error(
    `load the archives in ${folder} into the cluster, or pass --registry or --load: ${missing.join(', ')}`,
  );
}

const NO_VERSION: Version = { archives: [], tag: '', chart: '' };

/**
 * Builds the commit from which the test upgrades. If there is none, the test upgrades from this commit to itself, which
 * covers less.
 */
async function buildPrevious(): Promise<Version> {
  // The other suites do not upgrade.
  if (args.suite !== 'e2e') return NO_VERSION;
  if (kubeconfig !== undefined && registry === undefined && loadCommand === undefined) {
    notTested.push('an upgrade from the commit before: pass --registry or --load to bring its images to the cluster');
    return NO_VERSION;
  }
  const previous = findPrevious(root);
  if ('missing' in previous) {
    notTested.push(`an upgrade from the commit before: ${previous.missing}`);
    return NO_VERSION;
  }
  logProgress(`upgrades start from ${previous.commit}`);
  try {
    const { chart, tag, files } = await buildRelease(root, previous.commit, previousFolder);
    const nameOf = (file: string) => /([^/]*)-linux-\w+\.tar$/.exec(file)?.[1] ?? '';
    return { archives: files.map((file) => ({ file, reference: `localhost/${nameOf(file)}:${tag}` })), tag, chart };
  } catch (error) {
    // If the previous commit cannot be built, the run does not fail. Otherwise a commit that repairs a broken build
    // could not pass.
    notTested.push(`an upgrade from ${previous.commit}, which cannot be built: ${String(error)}`);
    return NO_VERSION;
  }
}

function exclude(name: string, why: string): void {
  excluded.push(`-${name}\\.e2e\\.ts$`);
  notTested.push(`${name}: ${why}`);
}

async function tearDown(): Promise<void> {
  if (args.keep) return;
  await (kubeconfig === undefined ? removeOwnCluster(home) : target?.remove());
  removeRelease(previousFolder);
}

onStop(() => {
  endRunning();
  void tearDown().finally(() => process.exit(130));
});
const tallies = [
  await runStep('set-up', async () => {
    await setUp();
    return { passed: 0, failed: 0, skipped: 0 };
  }),
];
if (tallies[0]?.failed === 0) {
  const ignored = excluded.flatMap((pattern) => ['--testPathIgnorePatterns', pattern]);
  const config = join(root, 'test/e2e/jest.config.mjs');
  tallies.push(await runStep('tests', () => runJest(['--config', config, ...ignored, ...args.patterns])));
}
tallies.push(
  await runStep('tear-down', async () => {
    await tearDown();
    return oneFrom(0);
  }),
);
for (const line of notTested) logProgress(`not tested: ${line}`);
const total = addUp(tallies);
process.stdout.write(`${verdict(total)}\n`);
process.exit(total.failed === 0 ? 0 : 1);
