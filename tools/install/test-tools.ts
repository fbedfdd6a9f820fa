import { say } from '../launch/terminal.mjs';
import { ensureChromium } from './chromium.ts';
import { ensureEtcd } from './etcd.ts';
import { ensureGoTools } from './go-tools.ts';
import { ensurePrometheus } from './prometheus.ts';
import { ensureRedisServer } from './redis.ts';

/** Installs or builds every missing program that tests run. Throws if one cannot be installed. */
export async function ensureTestTools(): Promise<void> {
  const redis = ensureRedisServer();
  say(`Redis: ${redis.path} ${redis.version}`);
  say(`etcd: ${ensureEtcd()}`);
  say(`Chromium: ${ensureChromium()}`);
  say(`Prometheus: ${ensurePrometheus().server}`);
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
