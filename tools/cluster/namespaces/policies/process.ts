// Enforces NetworkPolicies for the pods of one node: `node process.ts KUBECONFIG NODE`, run in the network of that
// node.
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreV1Api, KubeConfig, makeInformer, NetworkingV1Api } from '@kubernetes/client-node';
import type { Informer, KubernetesObject } from '@kubernetes/client-node';
import { runCommand } from '../../command.ts';
import { buildRules, POLICY_CHAIN } from './rules.ts';

const POLL_MS = 100;
const RESTART_MS = 500;
const [kubeconfig = '', node = ''] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const core = config.makeApiClient(CoreV1Api);
const networking = config.makeApiClient(NetworkingV1Api);
const policies = makeInformer(config, '/apis/networking.k8s.io/v1/networkpolicies', () =>
  networking.listNetworkPolicyForAllNamespaces(),
);
const pods = makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces());
const namespaces = makeInformer(config, '/api/v1/namespaces', () => core.listNamespace());
let changed = true;
let applied = '';
let chains: readonly string[] = [];

async function start(informer: Informer<KubernetesObject>): Promise<void> {
  informer.on('change', () => (changed = true));
  informer.on('error', (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    setTimeout(() => void informer.start(), RESTART_MS);
  });
  await informer.start();
}

async function applyRules(): Promise<void> {
  const inputs = { policies: policies.list(), pods: pods.list(), namespaces: namespaces.list() };
  const rules = buildRules(inputs, node, chains);
  if (rules.text === applied) return;
  await runCommand('iptables-restore', ['--noflush', '--wait'], { input: rules.text });
  ({ text: applied, chains } = rules);
}

await Promise.all([policies, pods, namespaces].map((informer) => start(informer as Informer<KubernetesObject>)));
await applyRules();
// Packets that the node itself sends pass through neither of these chains. The kubelet of the node therefore reaches
// every pod of the node.
for (const chain of ['FORWARD', 'INPUT']) await runCommand('iptables', ['-w', '-I', chain, '-j', POLICY_CHAIN]);
for (;;) {
  if (changed) {
    changed = false;
    await applyRules().catch((error: unknown) => {
      changed = true;
      process.stderr.write(`${String(error)}\n`);
    });
  }
  await sleep(POLL_MS);
}
