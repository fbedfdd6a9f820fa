import type { Certificates } from './certificates.ts';
import { createRequest } from './request.ts';
import { startServer } from './server.ts';
import type { Place, Server } from './server.ts';

/** Arguments of an API server. */
export interface ApiServerOptions {
  command: string;
  port: number;
  etcdUrl: string;
  certificates: Certificates;
}

/** Starts kube-apiserver and waits until it reports itself ready. */
export async function startApiServer(options: ApiServerOptions, place: Place): Promise<Server> {
  const { certificates, port, command } = options;
  const request = createRequest(`https://127.0.0.1:${port}`, certificates.caPem, certificates.admin);
  return startServer(
    {
      name: 'kube-apiserver',
      command,
      args: apiServerArguments(options),
      isReady: async () => (await request('GET', '/readyz').catch(() => undefined))?.status === 200,
    },
    place,
  );
}

function apiServerArguments({ port, etcdUrl, certificates }: ApiServerOptions): string[] {
  const { authority, server, serviceAccounts } = certificates;
  return [
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    // Without a network the server cannot determine an address by itself.
    '--advertise-address=127.0.0.1',
    // The endpoint of the Service `kubernetes` cannot be a loopback address. The tests do not use this Service.
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${server.cert}`,
    `--tls-private-key-file=${server.key}`,
    `--client-ca-file=${authority}`,
    `--etcd-servers=${etcdUrl}`,
    `--etcd-cafile=${authority}`,
    `--etcd-certfile=${server.cert}`,
    `--etcd-keyfile=${server.key}`,
    '--authorization-mode=RBAC',
    '--anonymous-auth=false',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccounts.publicKey}`,
    `--service-account-signing-key-file=${serviceAccounts.privateKey}`,
    '--service-cluster-ip-range=10.0.0.0/16',
    '--allow-privileged=true',
    // WatchList needs etcd 3.4.31 or newer. With an older one the server would refuse a watch that starts with a list.
    '--feature-gates=WatchList=false',
  ];
}
