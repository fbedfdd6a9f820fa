import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { endAfterFile } from './leftovers.ts';

/** A TCP proxy that cuts connections in the middle of replies. */
export interface CuttingProxy {
  readonly port: number;
  /**
   * From now on cuts each connection after the number of reply bytes that `budget` returns. Undefined stops cutting.
   * Also closes all open connections.
   */
  cutAfter: (budget: (() => number) | undefined) => void;
  readonly cuts: number;
  stop: () => Promise<void>;
}

/** Starts a proxy on a loopback port in front of another port. */
export async function startCuttingProxy(targetPort: number): Promise<CuttingProxy> {
  let draw: (() => number) | undefined;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const socket of [client, target]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    let left = draw?.() ?? Infinity;
    client.on('data', (data) => target.write(data));
    target.on('data', (data) => {
      if (data.length >= left) {
        cuts++;
        // The bytes within the budget are still delivered, so a reply may be cut in its middle.
        client.end(data.subarray(0, Math.max(0, left)), () => client.destroy());
        target.destroy();
        return;
      }
      left -= data.length;
      client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const socket of open) socket.destroy();
      server.close(() => resolve());
    });
  endAfterFile(stop);
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (budget) => {
      draw = budget;
      // Open connections would keep the previous budget, so they are closed.
      for (const socket of open) socket.destroy();
    },
    get cuts() {
      return cuts;
    },
    stop,
  };
}
