import type { Tick, Ticker } from '../ticker.ts';
import type { StreamParts, StreamSession } from '../session.ts';
import type { StreamClient } from './client.ts';
import { startClocks } from './start-clocks.ts';

const times = { idleMs: 1000, pingMs: 5000, extraMs: 500 } as StreamParts['times'];

/**
 * Starts the clocks of a stream that has reserved 2 s of audio. Then lets time pass, with a tick every 100 ms. Returns
 * the names of the callbacks that were called.
 */
function expire(afterMs: number, client: Pick<StreamClient, 'isReading'>, handlesTimeLimit: boolean): string[] {
  const events: string[] = [];
  const ticks: Tick[] = [];
  const ticker = { add: (tick: Tick) => ticks.push(tick), remove: () => undefined } as unknown as Ticker;
  const onTimeLimit = () => events.push('client');
  const receiver = (handlesTimeLimit ? { ...client, onTimeLimit } : client) as StreamClient;
  startClocks({ ticker, times }, { reservedMs: 2000 } as StreamSession, receiver, {
    owesAnswer: () => false,
    onIdle: () => events.push('idle'),
    onLifetime: () => events.push('lifetime'),
  });
  const startMs = performance.now();
  for (let ms = 100; ms <= afterMs && events.length === 0; ms += 100) for (const tick of ticks) tick(startMs + ms);
  return events;
}

describe.each([
  ['idle', 1100, true],
  ['lifetime', 2600, false],
])('the %s clock of a stream', (name, afterMs, isReading) => {
  test('ends the stream if its client has no onTimeLimit handler', () => {
    expect(expire(afterMs, { isReading }, false)).toEqual([name]);
  });

  test('calls the onTimeLimit handler of the client instead of ending the stream', () => {
    expect(expire(afterMs, { isReading }, true)).toEqual(['client']);
  });
});
