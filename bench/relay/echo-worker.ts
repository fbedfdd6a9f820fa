// A worker whose inference takes no time, so that the benchmark measures only the cost of the relay. The worker
// implements the relay protocol, registers in the ledger and answers each chunk immediately. The benchmark compares a
// gateway with proxies. A gateway uses one connection for all of its streams. A client that connects through a proxy
// uses one WebSocket per stream. Such a client has no ticket, so this worker requires none.
// Environment: REDIS_URL, REDIS_KEY_PREFIX, MODEL, SLOTS. If SLOTS is 0, the worker does not register, so that gateways
// do not use it. The worker prints its port on standard output.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { CONNECTION_ID, FRAME, RELAY_CLOSE, RELAY_CONNECTION_PATH, RELAY_UPGRADE, RESUME_HEADERS } from '@svc-asr/core';
import { FrameSocket, payloadText } from '@svc-asr/runtime';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { openLedger } from '../../test/support/ledger.ts';
import { EchoStream } from './echo-stream.ts';

const LEASE_MS = 60_000;
/**
 * Interval of lease renewals. After an outage of Redis, a gateway restarts all leases with its own lease time, which is
 * shorter than LEASE_MS. The interval must therefore be shorter than the lease time of the gateway.
 */
const RENEW_MS = 1000;
/**
 * Interval of `alive` frames. A real worker uses the same interval. Without these frames, gateways would move streams
 * if the machine is busy for seconds.
 */
const ALIVE_MS = 500;
/**
 * Headers that offer to resume connections. Both sides then keep sent bytes until the other side acknowledges them, as
 * with a real worker. This worker does not actually resume a lost connection.
 */
const RESUME = `${RESUME_HEADERS.token}: echo\r\n${RESUME_HEADERS.withinMs}: 2000\r\n`;
const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${RELAY_UPGRADE}\r\n${RESUME}\r\n`;

const { REDIS_URL = '', REDIS_KEY_PREFIX = '', MODEL = '', SLOTS = '' } = process.env;
const ledger = await openLedger(REDIS_URL, { prefix: REDIS_KEY_PREFIX, processLeaseMs: LEASE_MS });
const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
const server = createServer();
server.on('upgrade', (request, socket, head) => {
  if (request.url === RELAY_CONNECTION_PATH) serveConnection(socket, head);
  else webSockets.handleUpgrade(request, socket, head, (webSocket) => serveWebSocket(webSocket, socket));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const id = `echo-${process.pid}`;
  const announce = () => process.stdout.write(`${port}\n`);
  if (Number(SLOTS) === 0) {
    announce();
    return;
  }
  const register = () =>
    ledger.workers.register(MODEL, {
      id,
      address: `ws://127.0.0.1:${port}`,
      revision: 'echo',
      slots: Number(SLOTS),
    });
  setInterval(() => {
    void ledger.workers.renew(MODEL, id).then((state) => (state === 'gone' ? register() : undefined));
  }, RENEW_MS);
  void register().then(announce);
});

function serveConnection(socket: Duplex, head: Buffer): void {
  const streams = new Map<number, EchoStream>();
  socket.write(SWITCHING);
  const frames = new FrameSocket(socket, head, {
    onFrame: ({ stream: id, type, payload }) => {
      let stream = streams.get(id);
      if (stream === undefined) {
        stream = new EchoStream((answer, position) => {
          if (answer.type === 'consumed') frames.send(FRAME.consumed, id, position);
          else if (answer.type === 'delta') frames.send(FRAME.delta, id, answer.audio_end, Buffer.from(answer.text));
          else frames.sendMessage(id, answer);
        });
        streams.set(id, stream);
      }
      if (type === FRAME.audio) stream.receiveAudio(payload);
      else if (type === FRAME.message) stream.receiveMessage(payloadText({ payload }));
      else if (type === FRAME.close) {
        streams.delete(id);
        frames.send(FRAME.closed, id, RELAY_CLOSE.done);
      }
    },
    onClose: () => clearInterval(timer),
    onLost: () => false,
  });
  const timer = setInterval(() => {
    if (streams.size > 0) frames.send(FRAME.alive, CONNECTION_ID);
  }, ALIVE_MS);
}

function serveWebSocket(socket: WebSocket, connection: Duplex): void {
  const stream = new EchoStream((answer) => socket.send(JSON.stringify(answer)));
  // All answers to one message are written together, as on the connection of a gateway.
  const writeTogether = (receive: () => void) => {
    connection.cork();
    receive();
    connection.uncork();
  };
  socket.on('message', (data: Buffer, isBinary) => {
    writeTogether(() => (isBinary ? stream.receiveAudio(data) : stream.receiveMessage(data.toString())));
  });
  socket.on('error', () => socket.terminate());
}
