import type { WebSocket } from 'ws';
import { Client } from './client.ts';

function client(bufferedAmount: number) {
  const done: string[] = [];
  const socket = {
    readyState: 1,
    bufferedAmount,
    _socket: { write: () => done.push('send') },
    terminate: () => done.push('terminate'),
  };
  return { client: new Client(socket as unknown as WebSocket), done };
}

test('Client disconnects at the next event or ping if more than 1 MiB is unsent because the peer does not read', () => {
  const slow = client(1_048_577);
  slow.client.send({ type: 'reset_ack', utterance: 2 });
  expect(slow.done).toEqual(['send', 'terminate']);
  slow.client.cutOffUnread();
  expect(slow.done).toEqual(['send', 'terminate', 'terminate']);
});

test('Client keeps the connection if exactly 1 MiB is unsent', () => {
  const busy = client(1_048_576);
  busy.client.send({ type: 'reset_ack', utterance: 2 });
  busy.client.cutOffUnread();
  expect(busy.done).toEqual(['send']);
});
