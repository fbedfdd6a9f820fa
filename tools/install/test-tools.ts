import { say } from '../launch/terminal.mjs';
import { ensureChromium } from './chromium.ts';
import { ensureEtcd } from './etcd.ts';
import { ensureGoTools } from './go-tools.ts';
import { ensureRedisServer } from './redis.ts';

/** Gets every program that tests run and that this machine does not have yet. */
export async function ensureTestTools(): Promise<void> {
  const redis = ensureRedisServer();
  say(`Redis: ${redis.path} ${redis.version}`);
  say(`etcd: ${ensureEtcd()}`);
  say(`Chromium: ${ensureChromium()}`);
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
