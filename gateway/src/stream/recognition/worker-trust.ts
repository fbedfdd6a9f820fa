import { readFileSync } from 'node:fs';
import { checkServerIdentity } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { workerServerName } from '@svc-asr/core';

/** TLS options of a connection to a worker. Empty if there is no CA file. */
export type WorkerTls = Pick<ConnectionOptions, 'ca' | 'servername' | 'checkServerIdentity' | 'allowPartialTrustChain'>;

/** Decides to which addresses the streams of a model may be sent. */
export interface WorkerTrust {
  /**
   * Returns the TLS options for an address that a worker of the model has registered, or the reason why this address
   * must not be used.
   */
  check: (model: string, address: string) => { tls: WorkerTls } | { refusal: string };
}

/**
 * Creates the check of workers. If there is a CA file, a worker must have a wss:// address and present the certificate
 * of its model. The address itself proves nothing, because every process that can write to Redis can register any
 * address. The file is read at each check, so that a renewed CA applies without a restart.
 */
export function createWorkerTrust({ caFile, serverName }: { caFile: string; serverName: string }): WorkerTrust {
  const schemes = caFile === '' ? ['ws:', 'wss:'] : ['wss:'];
  return {
    check: (model, address) => {
      // A URL with a fragment is not valid for a WebSocket.
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
    // The file may contain an intermediate CA without its root CA. With this option, such a CA is trusted, but other
    // intermediate CAs of the same root CA are not.
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
