import { logProgress } from '../launch/terminal.mjs';
import { ensureGoTools } from './go-tools.ts';
import { CHROMIUM, ETCD, PROMETHEUS, REDIS } from './programs.ts';
import { ensureInstalled } from './system-package.ts';

/**
 * Installs or builds the missing programs that tests run, except for the C compiler. Tests that need a compiler install
 * it themselves. Throws if a program cannot be installed.
 */
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
