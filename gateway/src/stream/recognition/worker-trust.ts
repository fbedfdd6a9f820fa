import { readFileSync } from 'node:fs';

/** How a worker proves at the other end of a wss:// address that it is one. */
export interface WorkerTrust {
  /** TLS options for a connection that begins now. */
  options: () => { ca?: Buffer; servername?: string };
}

/**
 * Workers are found by the address of their pod, which no certificate names: all of them prove the same name instead.
 * The file of the authority is read for each connection, so that a renewed one is taken up without a restart.
 */
export function createWorkerTrust({ caFile, serverName }: { caFile: string; serverName: string }): WorkerTrust {
  return {
    options: () => ({
      ...(caFile === '' ? {} : { ca: readFileSync(caFile) }),
      ...(serverName === '' ? {} : { servername: serverName }),
    }),
  };
}
