import { meter } from './meter.ts';

test('meter() accepts whole frames up to the limit, and only a part of the frame that exceeds the limit', () => {
  expect(meter(Buffer.alloc(100), 0, 100)).toMatchObject({ ok: true, full: false });
  expect(meter(Buffer.alloc(100), 50, 100)).toMatchObject({ ok: true, full: true });
  const cut = meter(Buffer.alloc(100), 80, 100);
  expect(cut.ok && [cut.pcm.length, cut.full]).toEqual([40, true]);
  expect(meter(Buffer.alloc(0), 80, 100)).toMatchObject({ ok: true, full: false });
});

test.each([
  [65_536, true],
  [65_538, 'frame_too_large'],
  [65_537, 'frame_too_large'],
  [3, 'invalid_audio_frame'],
  [2, true],
])('meter() for a frame of %i bytes returns %s', (bytes, expected) => {
  const result = meter(Buffer.alloc(bytes), 0, 1e9);
  expect(result.ok || result.code).toBe(expected);
});
