import { RELAY_LIMITS } from '@svc-asr/core';
import fc from 'fast-check';
import { OutgoingStream } from './outgoing-stream.ts';
import type { OutgoingFrame } from './outgoing-stream.ts';

const TURN = RELAY_LIMITS.maxTurnBytes;
const pcm = (samples: number, value = 1) => Buffer.alloc(samples * 2, value);

function takeAll(stream: OutgoingStream): OutgoingFrame[] {
  const frames: OutgoingFrame[] = [];
  for (let frame = stream.take(TURN); frame !== undefined; frame = stream.take(TURN)) frames.push(frame);
  return frames;
}

const shapes = (frames: OutgoingFrame[]) =>
  frames.map((frame) => [frame.kind, frame.position, frame.kind === 'audio' ? frame.pcm.length / 2 : 0]);

test('OutgoingStream sends nothing before the worker has announced the size of its buffer, and never more than this size', () => {
  const stream = new OutgoingStream(0);
  stream.addAudio(pcm(500));
  expect(takeAll(stream)).toEqual([]);
  stream.open(300);
  expect(shapes(takeAll(stream))).toEqual([['audio', 0, 300]]);
  expect(stream.isReady).toBe(false);
  stream.consume(120);
  expect(shapes(takeAll(stream))).toEqual([['audio', 300, 120]]);
});

test('OutgoingStream splits audio into frames of at most maxTurnBytes', () => {
  const stream = new OutgoingStream(0);
  stream.open(1_000_000);
  stream.addAudio(pcm(20_000));
  expect(shapes(takeAll(stream))).toEqual([
    ['audio', 0, 8192],
    ['audio', 8192, 8192],
    ['audio', 16_384, 3616],
  ]);
});

test('OutgoingStream sends a mark after the audio that was added before the mark, and waits while too many marks are unanswered', () => {
  const stream = new OutgoingStream(0);
  stream.open(100);
  stream.addAudio(pcm(10));
  for (let i = 0; i <= RELAY_LIMITS.maxMarks; i++) stream.addMark('flush');
  expect(takeAll(stream).map(({ kind }) => kind)).toEqual([
    'audio',
    ...Array<string>(RELAY_LIMITS.maxMarks).fill('flush'),
  ]);
  expect(stream.isReady).toBe(false);
  stream.endUtterance();
  expect(shapes(takeAll(stream))).toEqual([['flush', 10, 0]]);
});

test('OutgoingStream reports consumed audio relative to the utterance that the worker is answering', () => {
  const stream = new OutgoingStream(0);
  stream.open(1000);
  stream.addAudio(pcm(200));
  stream.addMark('flush');
  stream.addAudio(pcm(100));
  takeAll(stream);
  expect(stream.consume(150)).toEqual({ type: 'consumed', samples: 150 });
  stream.endUtterance();
  expect(stream.consume(200)).toBeUndefined();
  expect(stream.consume(260)).toEqual({ type: 'consumed', samples: 60 });
});

test('after a cut, OutgoingStream reports consumed audio relative to the cut, until the next flush is answered', () => {
  const stream = new OutgoingStream(0);
  stream.open(1000);
  stream.addAudio(pcm(200));
  stream.addMark('flush');
  stream.addAudio(pcm(100));
  takeAll(stream);
  stream.cut(120);
  expect(stream.consume(120)).toBeUndefined();
  expect(stream.consume(150)).toEqual({ type: 'consumed', samples: 30 });
  stream.endUtterance();
  expect(stream.consume(260)).toEqual({ type: 'consumed', samples: 60 });
});

test('OutgoingStream.isReplay is true until the replayed samples are sent', () => {
  const stream = new OutgoingStream(150);
  stream.open(100);
  stream.addAudio(pcm(400));
  takeAll(stream);
  expect(stream.isReplay).toBe(true);
  stream.consume(100);
  takeAll(stream);
  expect(stream.isReplay).toBe(false);
});

test('OutgoingStream sends all audio in order and never more than the buffer of the worker holds', () => {
  const step = fc.record({
    samples: fc.nat(60),
    mark: fc.boolean(),
    consume: fc.nat(80),
    turn: fc.integer({ min: 1, max: 90 }),
  });
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 100 }), (steps, buffer) => {
      const stream = new OutgoingStream(0);
      stream.open(buffer);
      const [expected, sent]: [number[], number[]] = [[], []];
      let consumed = 0;
      const send = (turn: number) => {
        for (let frame = stream.take(turn); frame !== undefined; frame = stream.take(turn)) {
          expect(frame.position).toBe(sent.length);
          if (frame.kind === 'audio')
            for (let at = 0; at < frame.pcm.length; at += 2) sent.push(frame.pcm.readInt16LE(at));
          else stream.endUtterance();
          expect(sent.length - consumed).toBeLessThanOrEqual(buffer);
        }
      };
      for (const { samples, mark, consume, turn } of steps) {
        const audio = Int16Array.from({ length: samples }, (_, i) => expected.length + i);
        expected.push(...audio);
        stream.addAudio(Buffer.from(audio.buffer));
        if (mark) stream.addMark('reset');
        send(turn);
        consumed = Math.min(sent.length, consumed + consume);
        stream.consume(consumed);
      }
      while (sent.length < expected.length) {
        consumed = sent.length;
        stream.consume(consumed);
        send(TURN);
      }
      expect(sent).toEqual(expected);
    }),
  );
});
