import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Handles an upgrade request. It must not throw. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

/** Passes the upgrade requests of a server to their handlers. */
export function handleUpgrades(server: Server, choose: (request: IncomingMessage) => Upgrade): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    void choose(request)(request, socket, head);
  });
}
