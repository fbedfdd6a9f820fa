import { OutgoingStream } from './outgoing-stream.ts';
import { Turns } from './turns.ts';

const LIMITS = { live: 1_000_000, replay: 65_536 };

/** Creates a sender with `bytes` bytes of audio. It adds its name to `order` for each frame that it sends. */
function createSender(name: string, order: string[], { bytes = 100, replayed = 0, room = 1_000_000 } = {}) {
  const outgoing = new OutgoingStream(replayed);
  outgoing.open(room);
  outgoing.addAudio(Buffer.alloc(bytes));
  return {
    outgoing,
    sendFrame: (frame: { kind: string }) => order.push(frame.kind === 'audio' ? name : `${name}:${frame.kind}`),
  };
}

test('Turns lets each stream send at most 16 KiB in a turn, so that a stream with much audio does not delay the other streams', () => {
  const order: string[] = [];
  const turns = new Turns();
  turns.add(createSender('long', order, { bytes: 65_536 }));
  turns.add(createSender('a', order));
  turns.add(createSender('b', order, { bytes: 20_000 }));
  turns.run(0, LIMITS);
  expect(order).toEqual(['long', 'a', 'b', 'long', 'b', 'long', 'long']);
});

test('Turns sends replays only if no other stream has anything to send', () => {
  const order: string[] = [];
  const turns = new Turns();
  turns.add(createSender('replay', order, { bytes: 20_000, replayed: 1_000_000 }));
  turns.add(createSender('live', order, { bytes: 20_000 }));
  turns.run(0, LIMITS);
  expect(order).toEqual(['live', 'live', 'replay', 'replay']);
});

test('as the number of unsent bytes grows, Turns first stops sending replays, and later also live audio', () => {
  const order: string[] = [];
  const turns = new Turns();
  turns.add(createSender('replay', order, { bytes: 1_000_000, replayed: 1_000_000 }));
  turns.run(0, LIMITS);
  expect(order).toHaveLength(4);
  turns.add(createSender('live', order));
  turns.run(65_536, LIMITS);
  expect(order.slice(4)).toEqual(['live']);
  turns.run(1_000_000, LIMITS);
  expect(order).toHaveLength(5);
});

test('Turns gives a stream another turn only when its worker has room again', () => {
  const order: string[] = [];
  const turns = new Turns();
  const slow = createSender('slow', order, { bytes: 1000, room: 100 });
  turns.add(slow);
  turns.run(0, LIMITS);
  turns.run(0, LIMITS);
  expect(order).toEqual(['slow']);
  slow.outgoing.consume(50);
  turns.add(slow);
  turns.add(slow);
  turns.run(0, LIMITS);
  expect(order).toEqual(['slow', 'slow']);
});

test('Turns sends nothing for a stream that was removed', () => {
  const order: string[] = [];
  const turns = new Turns();
  const closed = createSender('closed', order);
  turns.add(closed);
  turns.remove(closed);
  turns.run(0, LIMITS);
  expect(order).toEqual([]);
});
