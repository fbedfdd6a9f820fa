import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startGuard } from '../../tools/supervise/guard.ts';
import { startApiServer } from './kubernetes/api-server.ts';
import { makeCertificates } from './kubernetes/certificates.ts';
import { startControllerManager } from './kubernetes/controller-manager.ts';
import { applyDefinitions } from './kubernetes/definitions.ts';
import { startEtcd } from './kubernetes/etcd.ts';
import { makeFolder } from './kubernetes/folder.ts';
import { writeKubeconfig } from './kubernetes/kubeconfig.ts';
import { createKubectl } from './kubernetes/kubectl.ts';
import type { Kubectl } from './kubernetes/kubectl.ts';
import { startKwok } from './kubernetes/kwok.ts';
import { createNamespace, createToken } from './kubernetes/namespaces.ts';
import { findPrograms } from './kubernetes/programs.ts';
import { createRequest } from './kubernetes/request.ts';
import type { KubeRequest } from './kubernetes/request.ts';
import { startScheduler } from './kubernetes/scheduler.ts';
import { startOnFreePort } from './kubernetes/server.ts';
import type { Server } from './kubernetes/server.ts';

/** How long a `beforeAll` that starts a cluster may take. */
export const KUBERNETES_TIMEOUT_MS = 300_000;

export interface KubernetesOptions {
  /** Runs kube-controller-manager too: Deployments get pods, owned objects go with their owner. */
  controllers?: boolean;
  /**
   * Paths of kube-scheduler and kwok (`ensureGoTools`), which then run too: pods get ready by the thousands on nodes
   * that `createNodes` makes.
   */
  simulators?: { scheduler: string; kwok: string };
  /**
   * Files of CustomResourceDefinitions, applied before the controllers start. The garbage collector looks for new
   * types only every 30 s; those that are there when it starts it knows at once.
   */
  crds?: readonly string[];
}

/** A real Kubernetes API on a loopback port. It has no nodes: see `runPods` for what kubelets would do. */
export interface Kubernetes {
  readonly url: string;
  /** Path of a kubeconfig file whose user may do everything. */
  readonly kubeconfig: string;
  readonly ca: string;
  /** For certificates, data and logs; removed at the end. */
  readonly folder: string;
  readonly apiServerPid: number;
  /** A request as the user who may do everything. */
  request: KubeRequest;
  /** The same user's kubectl. */
  kubectl: Kubectl;
  /** A namespace of its own for a test; resolves with its name. */
  createNamespace: (labels?: Readonly<Record<string, string>>) => Promise<string>;
  /** Path of a kubeconfig file of a service account, which is made where there is none. It has no rights yet. */
  kubeconfigFor: (namespace: string, serviceAccount: string) => Promise<string>;
  /** Runs kube-controller-manager, with a kubeconfig of its own, until all of it ends. */
  startControllers: (kubeconfig: string) => Promise<void>;
  /** kill -9 of the API server. */
  stopApiServer: () => Promise<void>;
  /** Starts it again on the same port and data. */
  startApiServer: () => Promise<void>;
  restartApiServer: () => Promise<void>;
  /** Ends all of it and removes the data. */
  stop: () => Promise<void>;
}

/** Starts etcd, kube-apiserver and, when asked for, kube-controller-manager, with an authority of their own. */
export async function startKubernetes(options: KubernetesOptions = {}): Promise<Kubernetes> {
  const { controllers = false, crds = [], simulators } = options;
  const programs = findPrograms();
  const folder = makeFolder();
  const guard = startGuard(process.execPath);
  const place = { folder, guard };
  const running: Server[] = [];
  const started = (server: Server) => {
    running.push(server);
    return server;
  };
  const endAll = async () => {
    for (const server of running.splice(0).reverse()) await server.kill();
    guard.close();
  };
  try {
    const certificates = await makeCertificates(folder, new Date());
    const { caPem: ca, admin } = certificates;
    const etcd = await startEtcd(programs.etcd, certificates, place);
    started(etcd.server);
    const launch = (port: number) =>
      startApiServer({ command: programs.apiServer, port, etcdUrl: etcd.url, certificates }, place);
    const first = await startOnFreePort(async (port) => ({ port, server: started(await launch(port)) }));
    let apiServer = first.server;
    const url = `https://127.0.0.1:${first.port}`;
    const request = createRequest(url, ca, admin);
    const kubeconfig = writeKubeconfig(join(folder, 'kubeconfig'), { url, ca, identity: admin });
    const kubectl = createKubectl(programs.kubectl, kubeconfig, folder);
    if (crds.length > 0) await applyDefinitions(request, kubectl, crds);
    const startControllers = async (config: string) => {
      started(await startControllerManager(programs.controllerManager, config, request, place));
    };
    if (controllers) await startControllers(kubeconfig);
    if (simulators !== undefined) {
      started(await startScheduler(simulators.scheduler, kubeconfig, place));
      started(await startKwok(simulators.kwok, kubeconfig, place));
    }

    const stop = () => apiServer.kill();
    const start = async () => {
      apiServer = started(await launch(first.port));
    };
    return {
      url,
      kubeconfig,
      ca,
      folder,
      request,
      kubectl,
      startControllers,
      get apiServerPid() {
        return apiServer.pid;
      },
      createNamespace: (labels = {}) => createNamespace(request, controllers, labels),
      kubeconfigFor: async (namespace, account) => {
        const identity = { token: await createToken(request, namespace, account) };
        return writeKubeconfig(join(folder, `kubeconfig-${namespace}-${account}`), { url, ca, identity, namespace });
      },
      stopApiServer: stop,
      startApiServer: start,
      restartApiServer: async () => {
        await stop();
        await start();
      },
      stop: async () => {
        await endAll();
        rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      },
    };
  } catch (error) {
    // The folder stays: its logs tell more than the message.
    await endAll();
    throw error;
  }
}
