import { WebSocket as WsWebSocket } from 'ws';
import { findWebSocket } from './socket.ts';
import type { WebSocketConstructor } from './socket.ts';

// Types first: the class of `ws` and that of Node are ones that can be given.
const given: WebSocketConstructor[] = [WsWebSocket, globalThis.WebSocket];
const own = given[1]!;
const missing = () => Promise.reject(new Error('not installed'));

test('Node uses ws, which says why a handshake is refused', async () => {
  expect(await findWebSocket()).toBe(WsWebSocket);
});

test('Node without ws uses its own, where it has one', async () => {
  expect(await findWebSocket({ WebSocket: own, process: { versions: { node: '22.0.0' } } }, missing)).toBe(own);
  const old = findWebSocket({ process: { versions: { node: '20.0.0' } } }, missing);
  await expect(old).rejects.toThrow('install the package "ws"');
});

test('browsers use their own and never ask for ws', async () => {
  let asked = 0;
  const importWs = () => (asked++, missing());
  expect(await findWebSocket({ WebSocket: own }, importWs)).toBe(own);
  expect(asked).toBe(0);
});
