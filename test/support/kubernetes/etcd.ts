import { join } from 'node:path';
import { etcdEnvironment } from '../../../tools/install/programs.ts';
import type { Certificates } from './certificates.ts';
import { createRequest } from './request.ts';
import { startOnFreePort, startServer } from './server.ts';
import type { Place, Server } from './server.ts';

/** Starts an etcd with a single member, which accepts only clients with a certificate of the cluster. */
export async function startEtcd(
  command: string,
  certificates: Certificates,
  place: Place,
): Promise<{ url: string; server: Server }> {
  return startOnFreePort(async (port) => {
    const url = `https://127.0.0.1:${port}`;
    const request = createRequest(url, certificates.caPem, certificates.admin);
    const server = await startServer(
      {
        name: 'etcd',
        command,
        args: etcdArguments(url, join(place.folder, 'etcd'), certificates),
        env: etcdEnvironment(process.arch),
        isReady: async () => {
          const answer = await request('GET', '/health').catch(() => undefined);
          return (answer?.body as { health?: string } | undefined)?.health === 'true';
        },
      },
      place,
    );
    return { url, server };
  });
}

function etcdArguments(url: string, dataFolder: string, { authority, server }: Certificates): string[] {
  return [
    `--data-dir=${dataFolder}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    // There are no peers, so any port will do.
    '--listen-peer-urls=http://127.0.0.1:0',
    `--cert-file=${server.cert}`,
    `--key-file=${server.key}`,
    '--client-cert-auth',
    `--trusted-ca-file=${authority}`,
    '--logger=zap',
    '--log-outputs=stderr',
  ];
}
