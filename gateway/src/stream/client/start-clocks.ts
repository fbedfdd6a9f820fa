import type { StreamParts, StreamSession } from '../session.ts';
import type { StreamClient } from './client.ts';
import { Clocks } from './clocks.ts';
import type { ClockOptions } from './clocks.ts';

/** Starts the clocks of a stream. Call when the stream is `ready`. */
export function startClocks(
  { ticker, times: { idleMs, pingMs, extraMs } }: Pick<StreamParts, 'ticker' | 'times'>,
  { reservedMs }: StreamSession,
  client: StreamClient,
  { owesAnswer, onIdle, onLifetime }: Pick<ClockOptions, 'owesAnswer' | 'onIdle' | 'onLifetime'>,
): Clocks {
  return new Clocks(ticker, {
    idleMs,
    pingMs,
    lifetimeMs: reservedMs + extraMs,
    isReading: () => client.isReading,
    owesAnswer,
    ping: () => client.ping(),
    onIdle: () => (client.onTimeLimit ?? onIdle).call(client),
    onUnresponsive: () => client.terminate(),
    onLifetime: () => (client.onTimeLimit ?? onLifetime).call(client),
  });
}
