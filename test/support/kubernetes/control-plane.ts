import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startGuard } from '../../../tools/supervise/guard.ts';
import type { KeyPairPem } from '../../../tools/start/certificates.ts';
import { startApiServer } from './api-server.ts';
import { createCertificates } from './certificates.ts';
import { startControllerManager } from './controller-manager.ts';
import { applyDefinitions } from './definitions.ts';
import { startEtcd } from './etcd.ts';
import { createFolder } from './folder.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { createKubectl } from './kubectl.ts';
import { startKwok } from './kwok.ts';
import { findPrograms } from './programs.ts';
import { createRequest } from './request.ts';
import { startScheduler } from './scheduler.ts';
import { startOnFreePort } from './server.ts';
import type { Server } from './server.ts';

/** Options for the removal of a folder. A process that was just killed may still hold files for a moment. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

export interface ControlPlaneOptions {
  /** Files of CustomResourceDefinitions to apply. */
  crds?: readonly string[];
  /** Paths of kube-scheduler and kwok. If the paths are given, the control plane also runs these two programs. */
  simulators?: { scheduler: string; kwok: string };
}

/** The processes of a Kubernetes API: etcd, kube-apiserver, and the others that were started. */
export interface ControlPlane {
  readonly url: string;
  /** Path of a kubeconfig file with all permissions. */
  readonly kubeconfig: string;
  readonly ca: string;
  /** Certificate with all permissions. */
  readonly admin: KeyPairPem;
  /** Holds certificates, data and logs. Deleted by `stop`. */
  readonly folder: string;
  readonly apiServerPid: number;
  /** Starts kube-controller-manager with this kubeconfig. */
  startControllers: (kubeconfig: string) => Promise<void>;
  /** Ends every kube-controller-manager that was started. */
  stopControllers: () => Promise<void>;
  /** Ends the API server by SIGKILL, if it runs. */
  stopApiServer: () => Promise<void>;
  /** Starts the API server on the same port and data, unless it runs. */
  startApiServer: () => Promise<void>;
  /** Ends every process and deletes the folder. */
  stop: () => Promise<void>;
  /** Ends every process and deletes the folder without waiting for the processes, for an `exit` handler. */
  stopNow: () => void;
}

/** Starts etcd and kube-apiserver with a certificate authority of their own. */
export async function startControlPlane({ crds = [], simulators }: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const programs = findPrograms();
  const folder = createFolder();
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
    const certificates = await createCertificates(folder, new Date());
    const { caPem: ca, admin } = certificates;
    const etcd = await startEtcd(programs.etcd, certificates, place);
    started(etcd.server);
    const launch = (port: number) =>
      startApiServer({ command: programs.apiServer, port, etcdUrl: etcd.url, certificates }, place);
    const first = await startOnFreePort(async (port) => ({ port, server: started(await launch(port)) }));
    let apiServer = first.server;
    let isServing = true;
    let controllers: Server[] = [];
    const url = `https://127.0.0.1:${first.port}`;
    const request = createRequest(url, ca, admin);
    const kubeconfig = writeKubeconfig(join(folder, 'kubeconfig'), { url, ca, identity: admin });
    if (crds.length > 0) await applyDefinitions(request, createKubectl(programs.kubectl, kubeconfig, folder), crds);
    if (simulators !== undefined) {
      started(await startScheduler(simulators.scheduler, kubeconfig, place));
      started(await startKwok(simulators.kwok, kubeconfig, place));
    }
    return {
      url,
      kubeconfig,
      ca,
      admin,
      folder,
      get apiServerPid() {
        return apiServer.pid;
      },
      startControllers: async (config) => {
        controllers.push(started(await startControllerManager(programs.controllerManager, config, request, place)));
      },
      stopControllers: async () => {
        await Promise.all(controllers.map((server) => server.kill()));
        controllers = [];
      },
      stopApiServer: async () => {
        isServing = false;
        await apiServer.kill();
      },
      startApiServer: async () => {
        if (isServing) return;
        apiServer = started(await launch(first.port));
        isServing = true;
      },
      stop: async () => {
        await endAll();
        rmSync(folder, REMOVAL);
      },
      stopNow: () => {
        for (const server of running) void server.kill();
        rmSync(folder, REMOVAL);
      },
    };
  } catch (error) {
    // The folder is kept, because its logs contain more details than the message.
    await endAll();
    throw error;
  }
}
