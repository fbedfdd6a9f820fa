import type { Server } from 'node:http';

/** Refuses new connections and resolves when every request in flight has its answer. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Idle connections would keep the server open for as long as clients like.
  const timer = setInterval(() => server.closeIdleConnections(), 100);
  server.closeIdleConnections();
  await closed;
  clearInterval(timer);
}
