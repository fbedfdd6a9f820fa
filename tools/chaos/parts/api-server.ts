import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKubernetes } from '../../../test/support/kubernetes.ts';
import { root } from '../../launch/terminal.mjs';
import type { Heal } from './process.ts';
import { startProxy } from './proxy.ts';
import type { Proxy } from './proxy.ts';

/** A Kubernetes API server with its store. It contains the resources that the operator applies. */
export interface ApiServer {
  readonly namespace: string;
  /** Kubeconfig file of the operator. It contains the address of the proxy `link`. */
  readonly kubeconfig: string;
  readonly link: Proxy;
  /** Creates or changes resources over a connection that does not use the proxy. */
  apply: (resources: readonly object[]) => Promise<void>;
  /** Kills the process. Returns the function that starts it again. */
  kill: () => Promise<Heal>;
  /** Suspends the process. Returns the function that resumes it. */
  suspend: () => Heal;
  stop: () => Promise<void>;
}

const CRDS = ['asrmodels', 'tenants', 'apikeys', 'members'].map((plural) => join(root, 'crds', `${plural}.yaml`));

/** Starts the API server. The kubeconfig file is written to `folder`. */
export async function startApiServer(folder: string): Promise<ApiServer> {
  const kubernetes = await startKubernetes({ crds: CRDS });
  const { url } = kubernetes;
  const namespace = await kubernetes.createNamespace();
  const link = await startProxy(Number(new URL(url).port));
  const kubeconfig = join(folder, 'kubeconfig');
  const text = readFileSync(kubernetes.kubeconfig, 'utf8');
  writeFileSync(kubeconfig, text.replaceAll(url, `https://127.0.0.1:${link.port}`), { mode: 0o600 });
  return {
    namespace,
    kubeconfig,
    link,
    apply: async (items) => {
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      await kubernetes.kubectl(['-n', namespace, 'apply', '-f', '-'], list);
    },
    kill: async () => {
      await kubernetes.stopApiServer();
      return () => kubernetes.startApiServer();
    },
    suspend: () => {
      const pid = kubernetes.apiServerPid;
      process.kill(pid, 'SIGSTOP');
      return () => {
        process.kill(pid, 'SIGCONT');
      };
    },
    stop: async () => {
      await link.stop();
      await kubernetes.stop();
    },
  };
}
