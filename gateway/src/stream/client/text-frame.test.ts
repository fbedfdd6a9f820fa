import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { writeText } from './text-frame.ts';

test.concurrent.each([0, 1, 125, 126, 127, 65_535, 65_536, 70_000])(
  'a client receives a text of %i bytes that writeText sends between two messages of the ws library',
  async (bytes) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket] = (await once(server, 'connection')) as [WebSocket];
    const texts: string[] = [];
    const received = new Promise<void>((resolve) => {
      client.on('message', (data: Buffer, isBinary) => {
        if (texts.push(isBinary ? 'binary' : data.toString()) === 3) resolve();
      });
    });
    const text = 'ũ'.repeat(bytes / 2) + (bytes % 2 === 0 ? '' : 'n');
    socket.send('first');
    writeText(socket, text);
    socket.send('last');
    await received;
    expect(texts).toEqual(['first', text, 'last']);
    client.terminate();
    server.close();
  },
);
