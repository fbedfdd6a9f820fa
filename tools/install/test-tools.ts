import { logProgress } from '../launch/terminal.mjs';
import { ensureGoTools } from './go-tools.ts';
import { CHROMIUM, ETCD, PROMETHEUS, REDIS } from './programs.ts';
import { ensureInstalled } from './system-package.ts';

/** Installs or builds every missing program that tests run. Throws if one cannot be installed. */
export async function ensureTestTools(): Promise<void> {
  const redis = await ensureInstalled(REDIS);
  logProgress(`Redis: ${redis.path} ${redis.version}`);
  logProgress(`etcd: ${await ensureInstalled(ETCD)}`);
  logProgress(`Chromium: ${await ensureInstalled(CHROMIUM)}`);
  logProgress(`Prometheus: ${(await ensureInstalled(PROMETHEUS)).server}`);
  const tools = await ensureGoTools([
    'kube-apiserver',
    'kube-controller-manager',
    'kubectl',
    'helm',
    'helm-unittest',
    'kubeconform',
    'k6',
  ]);
  for (const [name, path] of Object.entries(tools)) logProgress(`${name}: ${path}`);
}
