import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Result of one round of load. */
export interface Round {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Sends prepared HTTP requests over keep-alive connections, with one request at a time on each connection. It writes
 * HTTP itself, because a client library would use more CPU than the code under test.
 */
export async function load(options: {
  port: number;
  connections: number;
  durationMs: number;
  /** Time before the measurement, in which requests are sent but not counted. */
  settleMs: number;
  request: () => Buffer;
  expectStatus: number;
}): Promise<Round> {
  const times: number[] = [];
  const started = performance.now() + options.settleMs;
  const deadline = started + options.durationMs;
  const one = async () => {
    const socket = await open(options.port);
    while (performance.now() < deadline) {
      const before = performance.now();
      const status = await exchange(socket, options.request());
      if (status !== options.expectStatus) throw new Error(`expected status ${options.expectStatus}, got ${status}`);
      if (before >= started) times.push(performance.now() - before);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: options.connections }, one));
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { requests: times.length, perSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends one request and reads the complete response. The gateway and the server of floor.ts send Content-Length. */
function exchange(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let received: Buffer | undefined;
    const done = (finish: () => void) => {
      socket.off('data', onData);
      socket.off('close', onClose);
      finish();
    };
    const onClose = () => done(() => reject(new Error('the connection was closed')));
    const onData = (data: Buffer) => {
      received = received === undefined ? data : Buffer.concat([received, data]);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length >= end + 4 + length) done(() => resolve(Number(head.slice(9, 12))));
    };
    socket.on('data', onData);
    socket.on('close', onClose);
    socket.write(request);
  });
}
