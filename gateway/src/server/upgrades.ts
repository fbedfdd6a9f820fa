import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Handles an upgrade request. Must not reject. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

/** Passes each upgrade request of a server to the handler that `choose` returns. */
export function handleUpgrades(server: Server, choose: (request: IncomingMessage) => Upgrade): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    void choose(request)(request, socket, head);
  });
}
