// Makes the network of a node obey NetworkPolicies: `node policy-process.ts API_URL CERTIFICATES_FOLDER NODE`. It runs in
// the network of that node.
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from './command.ts';
import { openInside } from './inside.ts';
import { buildRules, POLICY_CHAIN } from './policy-rules.ts';
import type { Namespace, Pod, Policy } from './policy.ts';

const POLL_MS = 300;
const [url = '', certificates = '', node = ''] = process.argv.slice(2);
const { list } = openInside(url, certificates);
let written = '';
let chains: readonly string[] = [];

async function look(): Promise<void> {
  const [policies, pods, namespaces] = await Promise.all([
    list<Policy>('/apis/networking.k8s.io/v1/networkpolicies'),
    list<Pod>('/api/v1/pods'),
    list<Namespace>('/api/v1/namespaces'),
  ]);
  const world = { policies, pods, namespaces };
  const wanted = buildRules(world, node, []);
  if (wanted.text === written) return;
  await runCommand('iptables-restore', ['--noflush', '--wait'], { input: buildRules(world, node, chains).text });
  ({ text: written, chains } = wanted);
}

/** What the node itself sends does not pass here: its kubelet reaches every pod. */
async function attach(): Promise<void> {
  for (const chain of ['FORWARD', 'INPUT']) await runCommand('iptables', ['-w', '-I', chain, '-j', POLICY_CHAIN]);
}

const complain = (error: unknown) => process.stderr.write(`${String(error)}\n`);
await look();
await attach();
for (;;) {
  await look().catch(complain);
  await sleep(POLL_MS);
}
