import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

/** Tells k6's virtual users how many of them shall speak: they share nothing, so they ask. */
export interface Control {
  readonly url: string;
  want: (streams: number) => void;
  /** Resolves when every virtual user that ever asked has asked again: none of them speaks. */
  everybodyIdle: (signal: AbortSignal) => Promise<void>;
  close: () => void;
}

/** Listens on a free port of this machine. */
export async function startControl(): Promise<Control> {
  let wanted = 0;
  let quiet = new Set<string>();
  const known = new Set<string>();
  const server = createServer((request, response) => {
    const user = request.url ?? '';
    known.add(user);
    quiet.add(user);
    response.end(String(wanted));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    want: (streams) => {
      wanted = streams;
      quiet = new Set();
    },
    everybodyIdle: async (signal) => {
      while (quiet.size < known.size) await sleep(POLL_MS, undefined, { signal });
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
