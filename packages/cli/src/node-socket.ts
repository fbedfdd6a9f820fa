import { WebSocket } from 'ws';
import type { WebSocketConstructor } from '@svc-asr/client';
import { readCa } from './node-fetch.ts';

/** Creates a WebSocket class that trusts the CA in a file. */
export function createNodeWebSocket(caFile: string | undefined): WebSocketConstructor {
  const tls = caFile === undefined ? {} : { ca: readCa(caFile) };
  return class extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { ...tls, perMessageDeflate: false });
    }
  };
}
