import { WebSocket as WsWebSocket } from 'ws';
import { findWebSocket } from './socket.ts';
import type { WebSocketConstructor } from './socket.ts';

// Type check: the classes of `ws` and of Node can both be passed as an option.
const given: WebSocketConstructor[] = [WsWebSocket, globalThis.WebSocket];
const own = given[1]!;
const missing = () => Promise.reject(new Error('not installed'));

test('findWebSocket returns the WebSocket class of the package ws in Node', async () => {
  expect(await findWebSocket()).toBe(WsWebSocket);
});

test('findWebSocket returns the global WebSocket class in Node if the package ws is missing, and throws if both are missing', async () => {
  expect(await findWebSocket({ WebSocket: own, process: { versions: { node: '22.0.0' } } }, missing)).toBe(own);
  const old = findWebSocket({ process: { versions: { node: '20.0.0' } } }, missing);
  await expect(old).rejects.toThrow('install the package "ws"');
});

test('findWebSocket returns the global WebSocket class in browsers without importing ws', async () => {
  let asked = 0;
  const importWs = () => (asked++, missing());
  expect(await findWebSocket({ WebSocket: own }, importWs)).toBe(own);
  expect(asked).toBe(0);
});
