import { Clocks } from './clocks.ts';
import type { Ticker, Tick } from '../ticker.ts';

/** Creates a ticker that ticks when the test calls `at` or `until`. Times are relative to its creation. */
function manualTicker() {
  const turns = new Set<Tick>();
  const startMs = performance.now();
  let lastMs = 0;
  const at = (ms: number) => {
    lastMs = ms;
    for (const turn of turns) turn(startMs + ms);
  };
  const ticker = { add: (turn: Tick) => turns.add(turn), remove: (turn: Tick) => turns.delete(turn) };
  return {
    ticker: ticker as unknown as Ticker,
    /** Ticks once, at the given time. */
    at,
    /** Ticks every 100 ms until the given time. */
    until: (ms: number) => {
      while (lastMs < ms) at(Math.min(ms, lastMs + 100));
    },
    get stopped() {
      return turns.size === 0;
    },
  };
}

function start({ idleMs = 1000, pingMs = 400, lifetimeMs = 10_000 } = {}) {
  const events: string[] = [];
  const state = { reading: true, owing: false };
  const time = manualTicker();
  const clocks = new Clocks(time.ticker, {
    idleMs,
    pingMs,
    lifetimeMs,
    isReading: () => state.reading,
    owesAnswer: () => state.owing,
    ping: () => events.push('ping'),
    onIdle: () => events.push('idle'),
    onUnresponsive: () => events.push('unresponsive'),
    onLifetime: () => events.push('lifetime'),
  });
  return { clocks, events, state, time };
}

test('Clocks report an idle client only once, after the idle timeout', () => {
  const { events, time } = start({ pingMs: 5000 });
  time.until(900);
  expect(events).toEqual([]);
  time.until(1100);
  time.until(2500);
  expect(events).toEqual(['idle']);
  expect(time.stopped).toBe(true);
});

test('Clocks restart the idle timeout at a message, but not at a pong', () => {
  const { clocks, events, time } = start({ pingMs: 5000 });
  time.until(900);
  clocks.onMessage();
  time.until(1800);
  expect(events).toEqual([]);
  clocks.onPong();
  time.until(2000);
  expect(events).toEqual(['idle']);
});

test('while a client waits for an answer, Clocks do not report the client as idle, but still send pings', () => {
  const { clocks, events, state, time } = start({ pingMs: 2000 });
  state.owing = true;
  time.until(1900);
  expect(events).toEqual([]);
  time.until(2100);
  clocks.onPong();
  time.until(3900);
  expect(events).toEqual(['ping']);
  state.owing = false;
  time.until(5100);
  expect(events).toEqual(['ping', 'ping', 'idle']);
});

test('Clocks do not count the time in which the gateway was suspended as idle time of the client', () => {
  const { clocks, events, time } = start({ pingMs: 60_000, lifetimeMs: 60_000 });
  time.until(300);
  time.at(30_000);
  expect(events).toEqual([]);
  // The gateway now reads what the client sent while the gateway was suspended.
  clocks.onMessage();
  time.until(30_900);
  expect(events).toEqual([]);
  time.until(31_100);
  expect(events).toEqual(['idle']);
});

test('Clocks do not report a client as idle after the gateway was suspended, even if the client was already quiet for half the idle timeout', () => {
  const { clocks, events, time } = start({ pingMs: 600_000, lifetimeMs: 600_000, idleMs: 30_000 });
  time.until(16_000);
  time.at(46_000);
  expect(events).toEqual([]);
  clocks.onMessage();
  time.until(75_500);
  expect(events).toEqual([]);
});

test('Clocks report a client as unresponsive after two unanswered pings', () => {
  const { clocks, events, time } = start({ idleMs: 60_000 });
  time.at(450);
  clocks.onPong();
  for (const ms of [900, 1350, 1800]) time.at(ms);
  expect(events).toEqual(['ping', 'ping', 'ping', 'unresponsive']);
});

test('Clocks stop the idle and ping timeouts, but not the lifetime, while the gateway does not read from the client', () => {
  const { events, state, time } = start();
  state.reading = false;
  time.at(5000);
  expect(events).toEqual([]);
  state.reading = true;
  time.at(5300);
  expect(events).toEqual([]);
  time.at(10_100);
  expect(events).toEqual(['lifetime']);
});
