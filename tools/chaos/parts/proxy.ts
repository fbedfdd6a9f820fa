import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/**
 * State of a link. `cut` refuses connections and closes the open ones. `stall` accepts connections and delivers
 * nothing, like a partition. A number delays all data by this many milliseconds.
 */
export type LinkState = 'open' | 'cut' | 'stall' | number;

/** A TCP proxy in front of one port. The proxy can disturb the connections that pass through it. */
export interface Proxy {
  readonly port: number;
  set: (state: LinkState) => void;
  /** Closes all connections once. New ones work. */
  drop: () => void;
  stop: () => Promise<void>;
}

/** Starts a proxy on a loopback port. `rewrite` changes what the server sends. */
export async function startProxy(targetPort: number, rewrite = (data: Buffer) => data): Promise<Proxy> {
  let state: LinkState = 'open';
  /** Functions that deliver the data whose delay is over. Each direction of each connection has one. */
  const pumps = new Set<() => void>();
  const sockets = new Set<Socket>();

  /** Forwards data and the end of a connection in order. */
  function pass(from: Socket, to: Socket, change = (data: Buffer) => data): void {
    const queue: { dueAt: number; act: () => void }[] = [];
    let timer: NodeJS.Timeout | undefined;
    const pump = () => {
      clearTimeout(timer);
      for (let first = queue[0]; first !== undefined && state !== 'stall'; first = queue[0]) {
        const waitMs = first.dueAt - performance.now();
        if (waitMs > 0) {
          timer = setTimeout(pump, waitMs);
          return;
        }
        queue.shift();
        first.act();
      }
    };
    const add = (act: () => void) => {
      queue.push({ dueAt: performance.now() + (typeof state === 'number' ? state : 0), act });
      pump();
    };
    pumps.add(pump);
    from.on('data', (data: Buffer) => {
      add(() => {
        if (to.destroyed || to.write(change(data))) return;
        from.pause();
        to.once('drain', () => from.resume());
      });
    });
    from.on('error', () => from.destroy());
    from.on('close', () => {
      add(() => {
        pumps.delete(pump);
        to.destroy();
      });
    });
  }

  const server = createServer((client) => {
    if (state === 'cut') {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
    }
    pass(client, target);
    pass(target, client, rewrite);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    set: (next) => {
      state = next;
      if (next === 'cut') drop();
      for (const pump of pumps) pump();
    },
    drop,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        drop();
      }),
  };
}
