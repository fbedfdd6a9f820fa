import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

/**
 * Server that publishes how many virtual users of k6 should stream. They share no state, so each of them polls
 * it.
 */
export interface Control {
  readonly url: string;
  setStreams: (streams: number) => void;
  /** Resolves when each known virtual user has polled since the last change, so that none of them streams. */
  waitUntilIdle: (signal: AbortSignal) => Promise<void>;
  close: () => void;
}

/** Starts the control server on a free local port. */
export async function startControl(): Promise<Control> {
  let wanted = 0;
  let idle = new Set<string>();
  const known = new Set<string>();
  const server = createServer((request, response) => {
    const user = request.url ?? '';
    known.add(user);
    idle.add(user);
    response.end(String(wanted));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    setStreams: (streams) => {
      wanted = streams;
      idle = new Set();
    },
    waitUntilIdle: async (signal) => {
      while (idle.size < known.size) await sleep(POLL_MS, undefined, { signal });
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
