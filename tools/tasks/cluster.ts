import { dirname, join } from 'node:path';
import { parseClusterArguments, USAGE } from '../cluster/arguments.ts';
import type { ClusterArguments } from '../cluster/arguments.ts';
import { openCluster, planExisting, startCluster } from '../cluster/namespaces/cluster.ts';
import { takeDown } from '../cluster/namespaces/down.ts';
import { findArchives } from '../cluster/namespaces/images.ts';
import { ensurePrograms } from '../cluster/namespaces/programs.ts';
import { findProblems, readState } from '../cluster/namespaces/state.ts';
import { runTask, logProgress, userPath } from '../launch/terminal.mjs';
import { homeOf } from '../start/home.ts';

/** Exit status of the command `status` if the cluster does not run. */
const NOT_RUNNING = 3;
const home = homeOf(process.env).path;

async function up({ name, nodes }: ClusterArguments): Promise<number> {
  const startedAt = performance.now();
  const { plan, tools } = await startCluster({ name, nodes, home, logProgress });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  logProgress(`the cluster ${name} is up with ${plan.nodes.map((node) => node.name).join(', ')} (${seconds} s)`);
  const { kubectl, helm } = await ensurePrograms();
  const folders = new Set([dirname(kubectl), dirname(helm)]);
  process.stdout.write(`export KUBECONFIG=${tools.kubeconfig}\nexport PATH=${[...folders].join(':')}:$PATH\n`);
  return 0;
}

async function load({ name, files }: ClusterArguments): Promise<number> {
  const cluster = await openCluster({ name, home });
  const archives = files.length === 0 ? findArchives(join(home, 'images')) : files.map(userPath);
  await cluster.loadImages(archives);
  for (const archive of archives) logProgress(`loaded ${archive}`);
  return 0;
}

async function down({ name }: ClusterArguments): Promise<number> {
  const existed = await takeDown(planExisting({ name, home }));
  logProgress(existed ? `the cluster ${name} was removed` : `there is no cluster ${name}`);
  return 0;
}

async function status({ name }: ClusterArguments): Promise<number> {
  const plan = planExisting({ name, home });
  const state = readState(plan.state);
  const problems = state === undefined ? [`there is no cluster ${name}`] : findProblems(state);
  if (problems.length > 0) {
    process.stdout.write(`${name} does not run: ${problems.join(', ')}\n`);
    return NOT_RUNNING;
  }
  const { tools } = await openCluster({ name, home });
  const nodes = await tools.kubectl(['get', 'nodes']);
  process.stdout.write(`${nodes}logs: ${plan.logs}\nexport KUBECONFIG=${plan.kubeconfig}\n`);
  return 0;
}

const ACTIONS = { up, load, down, status };

await runTask(() => {
  const args = parseClusterArguments(process.argv.slice(2));
  if (args !== undefined) return ACTIONS[args.action](args);
  process.stdout.write(USAGE);
  return 0;
});
