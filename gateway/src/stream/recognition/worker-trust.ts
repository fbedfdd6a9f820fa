import { readFileSync } from 'node:fs';
import { checkServerIdentity } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { workerServerName } from '@svc-asr/core';

/** TLS options of a connection to a worker. Empty for a worker with a ws:// address. */
export type WorkerTls = Pick<ConnectionOptions, 'ca' | 'servername' | 'checkServerIdentity' | 'allowPartialTrustChain'>;

/** Decides which addresses a stream of a model may be sent to. */
export interface WorkerTrust {
  /** Returns the TLS options for an address that a worker of the model registered, or why it must not be used. */
  check: (model: string, address: string) => { tls: WorkerTls } | { refusal: string };
}

/**
 * Creates the trust in workers. With a CA file, a worker must have a wss:// address and show the certificate of its
 * model. Its address proves nothing, because every process that can write to Redis can register one. The file is read
 * for each connection, so that a renewed CA applies without a restart.
 */
export function createWorkerTrust({ caFile, serverName }: { caFile: string; serverName: string }): WorkerTrust {
  const schemes = caFile === '' ? ['ws:', 'wss:'] : ['wss:'];
  return {
    check: (model, address) => {
      // A WebSocket cannot be created for a URL with a fragment.
      if (!URL.canParse(address) || !schemes.includes(new URL(address).protocol) || address.includes('#')) {
        const allowed = schemes.map((scheme) => `${scheme}//HOST:PORT`).join(' or ');
        return { refusal: `the worker registered the address ${address}, which is not of the form ${allowed}` };
      }
      return { tls: caFile === '' ? {} : tlsOptions(caFile, workerServerName(model, serverName)) };
    },
  };
}

function tlsOptions(caFile: string, servername: string): WorkerTls {
  return {
    ca: readFileSync(caFile),
    // An intermediate CA is trusted without its root, which may have issued certificates for others.
    allowPartialTrustChain: true,
    servername,
    checkServerIdentity: (name, certificate) => {
      if (checkServerIdentity(name, certificate) === undefined) return undefined;
      return new Error(
        `the certificate of the worker is for ${certificate.subjectaltname ?? 'no name'}, not for ${name}`,
      );
    },
  };
}
