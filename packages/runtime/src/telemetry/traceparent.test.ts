import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('parseTraceparent parses the output of formatTraceparent', () => {
  const context = { traceId: TRACE, spanId: SPAN, traceFlags: 1 };
  expect(parseTraceparent(formatTraceparent(context))).toEqual({ ...context, isRemote: true });
  expect(formatTraceparent({ ...context, traceFlags: 0 })).toBe(`00-${TRACE}-${SPAN}-00`);
});

test('parseTraceparent ignores all flags except sampled', () => {
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-fe`)?.traceFlags).toBe(0);
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-ff`)?.traceFlags).toBe(1);
});

test.each([undefined, 5, ['a'], '', `00-${TRACE}-${SPAN}`, `00-${'0'.repeat(32)}-${SPAN}-01`, 'x'.repeat(100_000)])(
  'parseTraceparent returns undefined for a value that is not a traceparent',
  (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  },
);
