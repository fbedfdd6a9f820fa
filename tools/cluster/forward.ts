import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A loopback port that leads to an address of a cluster. */
export interface Forward {
  port: number;
  close: () => void;
}

/** Opens a loopback port through which an address and port of a cluster are reached, for as long as this process lives. */
export async function openForward(dialSocket: string, host: string, port: number, at = 0): Promise<Forward> {
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const inside = connect({ path: dialSocket, allowHalfOpen: true });
    inside.write(`${host} ${port}\n`);
    for (const [from, to] of [
      [client, inside],
      [inside, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
