import { parseClusterArguments, USAGE } from '../cluster/arguments.ts';
import { openApi, planPresent, startCluster } from '../cluster/cluster.ts';
import { takeDown } from '../cluster/down.ts';
import { planCluster } from '../cluster/plan.ts';
import { inspect } from '../cluster/status.ts';
import { say, stop } from '../launch/terminal.mjs';
import { homeOf } from '../start/home.ts';

const home = homeOf(process.env).path;

async function run(): Promise<number> {
  const chosen = parseClusterArguments(process.argv.slice(2));
  if (chosen === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { action, name, nodes } = chosen;
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  if (action === 'up') {
    const cluster = await startCluster({ name, nodes, home, say });
    say(`the cluster ${name} is up with ${cluster.nodes.join(', ')} (${seconds()})`);
    process.stdout.write(`export KUBECONFIG=${cluster.kubeconfig}\n`);
    return 0;
  }
  const plan = planPresent(planCluster({ name, home, nodes }), home);
  if (action === 'down') {
    say((await takeDown(plan)) ? `the cluster ${name} is gone (${seconds()})` : `there is no cluster ${name}`);
    return 0;
  }
  const { state, problems } = await inspect(plan, openApi(plan));
  process.stdout.write(`${name}: ${state}\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  if (state === 'up') {
    for (const node of plan.nodes) process.stdout.write(`  ${node.name} ${node.address}\n`);
    process.stdout.write(`  logs ${plan.logs}\n  export KUBECONFIG=${plan.kubeconfig}\n`);
  }
  return state === 'up' ? 0 : 3;
}

try {
  process.exit(await run());
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
}
