import { readFileSync } from 'node:fs';

/** Verifies that the peer at a wss:// address is a worker. */
export interface WorkerTrust {
  /** Returns the TLS options for a new connection. */
  options: () => { ca?: Buffer; servername?: string };
}

/**
 * Creates the TLS options for workers. Gateways connect to the IP address of a worker's pod, which no certificate
 * contains. Therefore the certificates of all workers have the same server name. The CA file is read for each
 * connection, so that a renewed CA applies without a restart.
 */
export function createWorkerTrust({ caFile, serverName }: { caFile: string; serverName: string }): WorkerTrust {
  return {
    options: () => ({
      ...(caFile === '' ? {} : { ca: readFileSync(caFile) }),
      ...(serverName === '' ? {} : { servername: serverName }),
    }),
  };
}
