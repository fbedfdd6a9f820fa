import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { KubernetesObjectApi } from '@kubernetes/client-node';
import type { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { etcdEnvironment } from '../../install/programs.ts';
import { runCommand } from '../command.ts';
import type { Certificates } from './certificates.ts';
import { API_PORT } from './plan.ts';
import type { ClusterPlan } from './plan.ts';
import type { Programs } from './programs.ts';
import { startProgram } from './start-program.ts';
import type { Command } from './start-program.ts';
import type { ProcessRecord } from './state.ts';
import { createVolumes } from './volumes.ts';

/**
 * Maximum number of connections that wait until socat accepts them. The default of socat, 5, is too low for parallel
 * requests.
 */
const BACKLOG = 128;
const READYZ = ['get', '--raw', '/readyz'];
const ETCD_URL = 'https://127.0.0.1:2379';

/** Inputs for starting the programs of a cluster. */
export interface StartOptions {
  plan: ClusterPlan;
  programs: Programs;
  certificates: Certificates;
  /** Kubeconfig that programs inside the cluster use. It grants all permissions. */
  kubeconfig: string;
  /** Configuration of a client that reaches the API server from outside the cluster. */
  client: KubeConfig;
  core: CoreV1Api;
}

/** Starts etcd, the API server and the proxy that makes it reachable at a loopback port of the machine. */
export async function startApiServer(options: StartOptions, init: ProcessRecord, apiPort: number): Promise<void> {
  const { plan, programs, certificates } = options;
  await startProgram(plan, {
    name: 'etcd',
    init,
    command: etcdCommand(programs.etcd, plan, certificates),
    env: etcdEnvironment(process.arch),
  });
  const apiAddress = `TCP:${plan.nodes[0].address}:${API_PORT}`;
  await startProgram(plan, {
    name: 'api-proxy-inside',
    init,
    command: ['socat', `UNIX-LISTEN:${plan.apiSocket},fork,unlink-early,backlog=${BACKLOG}`, apiAddress],
  });
  await startProgram(plan, {
    name: 'api-proxy-outside',
    init,
    // The proxy uses the network of the machine. It is still a process of the node, so it ends with the cluster.
    namespaces: ['mount', 'pid'],
    command: [
      'socat',
      `TCP-LISTEN:${apiPort},bind=127.0.0.1,fork,reuseaddr,backlog=${BACKLOG}`,
      `UNIX-CONNECT:${plan.apiSocket}`,
    ],
  });
  await startProgram(plan, {
    name: 'kube-apiserver',
    init,
    command: apiServerCommand(programs['kube-apiserver'], plan, certificates),
    // Before it is ready, the API server accepts requests but rejects some that change objects.
    isReady: () => runCommand(programs.kubectl, READYZ, { env: { KUBECONFIG: plan.kubeconfig } }).then(() => true),
  });
}

/** Starts the controllers, the scheduler and DNS, and creates the volumes. */
export async function startControllers(options: StartOptions, init: ProcessRecord): Promise<void> {
  const { plan, programs, certificates, kubeconfig, client, core } = options;
  const corefile = join(plan.folder, 'Corefile');
  writeFileSync(corefile, buildCorefile(plan, kubeconfig));
  const local = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--bind-address=127.0.0.1'];
  await Promise.all([
    startProgram(plan, {
      name: 'kube-controller-manager',
      init,
      command: [
        programs['kube-controller-manager'],
        ...local,
        `--root-ca-file=${certificates.caFile}`,
        `--service-account-private-key-file=${certificates.serviceAccounts.privateKey}`,
      ],
      // The API server rejects pods of a namespace without this account.
      isReady: () => core.readNamespacedServiceAccount({ name: 'default', namespace: 'default' }).then(() => true),
    }),
    startProgram(plan, { name: 'kube-scheduler', init, command: [programs['kube-scheduler'], ...local] }),
    startProgram(plan, { name: 'coredns', init, command: [programs.coredns, '-conf', corefile] }),
  ]);
  const objects = KubernetesObjectApi.makeApiClient(client);
  await Promise.all(createVolumes(plan.volumes).map((object) => objects.create(object)));
}

/** Returns the command of a single etcd that accepts only clients with a certificate of the cluster. */
function etcdCommand(program: string, plan: ClusterPlan, { caFile, server }: Certificates): Command {
  return [
    program,
    `--data-dir=${join(plan.folder, 'etcd')}`,
    `--listen-client-urls=${ETCD_URL}`,
    `--advertise-client-urls=${ETCD_URL}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    `--cert-file=${server.certFile}`,
    `--key-file=${server.keyFile}`,
    '--client-cert-auth',
    `--trusted-ca-file=${caFile}`,
    '--logger=zap',
    '--log-outputs=stderr',
    // The cluster is for tests, so it need not survive a crash of the machine.
    '--unsafe-no-fsync',
  ];
}

function apiServerCommand(program: string, plan: ClusterPlan, certificates: Certificates): Command {
  const { caFile, server, serviceAccounts } = certificates;
  return [
    program,
    `--secure-port=${API_PORT}`,
    `--advertise-address=${plan.nodes[0].address}`,
    `--tls-cert-file=${server.certFile}`,
    `--tls-private-key-file=${server.keyFile}`,
    `--client-ca-file=${caFile}`,
    `--etcd-servers=${ETCD_URL}`,
    `--etcd-cafile=${caFile}`,
    `--etcd-certfile=${server.certFile}`,
    `--etcd-keyfile=${server.keyFile}`,
    `--kubelet-certificate-authority=${caFile}`,
    `--kubelet-client-certificate=${server.certFile}`,
    `--kubelet-client-key=${server.keyFile}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccounts.publicKey}`,
    `--service-account-signing-key-file=${serviceAccounts.privateKey}`,
    `--service-cluster-ip-range=${plan.serviceRange}`,
    '--allow-privileged=true',
    // This feature requires etcd 3.4.31, and Debian has an older one.
    '--feature-gates=WatchList=false',
  ];
}

/** Configures CoreDNS for names of the cluster. It resolves no other names, because pods reach no other network. */
export function buildCorefile(plan: ClusterPlan, kubeconfig: string): string {
  return `.:53 {
  bind ${plan.dnsAddress}
  errors
  ready ${plan.dnsAddress}:8181
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${kubeconfig} svc-asr
    pods insecure
    ttl 5
  }
}
`;
}
