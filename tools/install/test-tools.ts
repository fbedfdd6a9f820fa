import { say } from '../launch/terminal.mjs';
import { ensureChromium } from './chromium.ts';
import { ensureEtcd } from './etcd.ts';
import { ensureGoTools } from './go-tools.ts';
import { tryPrometheus } from './prometheus.ts';
import { ensureRedisServer } from './redis.ts';

/** Gets every program that tests run and that this machine does not have yet. */
export async function ensureTestTools(): Promise<void> {
  const redis = ensureRedisServer();
  say(`Redis: ${redis.path} ${redis.version}`);
  say(`etcd: ${ensureEtcd()}`);
  say(`Chromium: ${ensureChromium()}`);
  // All but one test file do without it.
  const prometheus = tryPrometheus((reason) => say(reason));
  say(`Prometheus: ${prometheus?.server ?? 'none, so dashboards and rules are not tried against one'}`);
  const tools = await ensureGoTools([
    'kube-apiserver',
    'kube-controller-manager',
    'kubectl',
    'helm',
    'helm-unittest',
    'kubeconform',
  ]);
  for (const [name, path] of Object.entries(tools)) say(`${name}: ${path}`);
}
