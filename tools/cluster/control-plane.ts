import { join } from 'node:path';
import { etcdEnvironment } from '../install/etcd.ts';
import type { Certificates } from './certificates.ts';
import { API_PORT } from './plan.ts';
import type { ClusterPlan } from './plan.ts';

const ETCD_URL = 'https://127.0.0.1:2379';

/** A program with its arguments. */
export type Command = readonly [string, ...string[]];

export const ETCD_ENVIRONMENT = etcdEnvironment(process.arch);

/** etcd, of one member; only holders of a certificate of the cluster get in. */
export function etcdCommand(program: string, plan: ClusterPlan, { caFile, server }: Certificates): Command {
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
  ];
}

/** kube-apiserver, on the address of the first node. */
export function apiServerCommand(program: string, plan: ClusterPlan, certificates: Certificates): Command {
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
    // It takes an etcd of 3.4.31 or newer: without it, a watch that begins with what is there would be refused.
    '--feature-gates=WatchList=false',
  ];
}

/** kube-controller-manager, with all its controllers. */
export function controllerManagerCommand(program: string, kubeconfig: string, certificates: Certificates): Command {
  return [
    program,
    `--kubeconfig=${kubeconfig}`,
    `--root-ca-file=${certificates.caFile}`,
    `--service-account-private-key-file=${certificates.serviceAccounts.privateKey}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
  ];
}

/** kube-scheduler. */
export function schedulerCommand(program: string, kubeconfig: string): Command {
  return [program, `--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--bind-address=127.0.0.1'];
}

/** What CoreDNS answers: names of the cluster, and that there are no others. */
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
