import { join } from 'node:path';
import { startControlPlane } from './kubernetes/control-plane.ts';
import type { ControlPlane, ControlPlaneOptions } from './kubernetes/control-plane.ts';
import { writeKubeconfig } from './kubernetes/kubeconfig.ts';
import { createKubectl } from './kubernetes/kubectl.ts';
import type { Kubectl } from './kubernetes/kubectl.ts';
import { createNamespace, createToken } from './kubernetes/namespaces.ts';
import { findPrograms } from './kubernetes/programs.ts';
import { createRequest } from './kubernetes/request.ts';
import type { KubeRequest } from './kubernetes/request.ts';

/** Timeout of a `beforeAll` that starts or borrows a Kubernetes API. */
export const KUBERNETES_TIMEOUT_MS = 300_000;

export interface KubernetesOptions extends ControlPlaneOptions {
  /**
   * Runs kube-controller-manager too. It creates the pods of Deployments, and deletes objects whose owner was deleted.
   * Its garbage collector discovers new types only every 30 s, so `crds` are applied before it starts.
   */
  controllers?: boolean;
}

/** A real Kubernetes API on a loopback port. It has no nodes; `runPods` stands in for the kubelets. */
export interface Kubernetes {
  readonly url: string;
  /** Path of a kubeconfig file with all permissions. */
  readonly kubeconfig: string;
  readonly ca: string;
  /** Holds certificates, data and logs. Deleted with the control plane. */
  readonly folder: string;
  readonly apiServerPid: number;
  /** Sends a request with all permissions. */
  request: KubeRequest;
  /** Runs kubectl with all permissions. */
  kubectl: Kubectl;
  /** Creates a namespace with a random name and returns the name. */
  createNamespace: (labels?: Readonly<Record<string, string>>) => Promise<string>;
  /** Returns the path of a kubeconfig file for a service account. Creates the account without permissions if needed. */
  kubeconfigFor: (namespace: string, serviceAccount: string) => Promise<string>;
  /** Starts kube-controller-manager with this kubeconfig. It runs until `stop` is called. */
  startControllers: (kubeconfig: string) => Promise<void>;
  /** Ends the API server by SIGKILL. */
  stopApiServer: () => Promise<void>;
  /** Starts the API server again, with the same port and data. */
  startApiServer: () => Promise<void>;
  restartApiServer: () => Promise<void>;
  /** Ends the control plane if this file started it. A borrowed one keeps running for the next test file. */
  stop: () => Promise<void>;
}

/** Starts a Kubernetes API for one test file. Most files can use `borrowKubernetes` instead, which is faster. */
export async function startKubernetes(options: KubernetesOptions = {}): Promise<Kubernetes> {
  const plane = await startControlPlane(options);
  return connect(plane, { controllers: options.controllers ?? false, stop: plane.stop });
}

/**
 * Returns the Kubernetes API that the test files of a jest worker use one after the other. It serves our custom
 * resources. Each file works in namespaces of its own, leaves cluster-wide objects as they were, and calls `stop`,
 * which ends the controllers.
 */
export async function borrowKubernetes({ controllers = false }: { controllers?: boolean } = {}): Promise<Kubernetes> {
  const plane = await sharedServers.controlPlane();
  const stop = async () => {
    await plane.stopControllers();
    await plane.startApiServer();
  };
  return connect(plane, { controllers, stop });
}

async function connect(
  plane: ControlPlane,
  { controllers, stop }: { controllers: boolean; stop: () => Promise<void> },
): Promise<Kubernetes> {
  const { url, ca, admin, folder, kubeconfig } = plane;
  const request = createRequest(url, ca, admin);
  if (controllers) await plane.startControllers(kubeconfig);
  return {
    url,
    kubeconfig,
    ca,
    folder,
    request,
    kubectl: createKubectl(findPrograms().kubectl, kubeconfig, folder),
    get apiServerPid() {
      return plane.apiServerPid;
    },
    createNamespace: (labels = {}) => createNamespace(request, controllers, labels),
    kubeconfigFor: async (namespace, account) => {
      const identity = { token: await createToken(request, namespace, account) };
      return writeKubeconfig(join(folder, `kubeconfig-${namespace}-${account}`), { url, ca, identity, namespace });
    },
    startControllers: plane.startControllers,
    stopApiServer: plane.stopApiServer,
    startApiServer: plane.startApiServer,
    restartApiServer: async () => {
      await plane.stopApiServer();
      await plane.startApiServer();
    },
    stop,
  };
}
