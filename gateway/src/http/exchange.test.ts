import type { Request, Response } from 'express';
import { exchangeOf, openExchange } from './exchange.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

async function traceIdOf(traceparent: string | undefined): Promise<string | undefined> {
  const response = { locals: {} } as Response;
  await openExchange({ headers: { traceparent } } as unknown as Request, response, () => undefined);
  return exchangeOf(response).traceId;
}

test.each([`00-${TRACE}-${PARENT}-01`, `01-${TRACE}-${PARENT}-00-more`])(
  'openExchange takes the trace id from the traceparent %s',
  async (header) => {
    expect(await traceIdOf(header)).toBe(TRACE);
  },
);

test.each([
  undefined,
  '',
  'nonsense',
  `ff-${TRACE}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-01-more`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${PARENT}`,
])('openExchange ignores the invalid traceparent %s', async (header) => {
  expect(await traceIdOf(header)).toBeUndefined();
});
