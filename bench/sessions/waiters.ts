import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { createLogger } from '@svc-asr/runtime';
import { Waiters } from '../../gateway/src/stream/recognition/waiters.ts';
import { connected } from '../../test/support/connected.ts';

const STREAMS = 10_000;
const TENANTS = 100;
const MODEL = 'waiters';
const DURATION_MS = 6000;
/** Default of STREAM_PLACE_INTERVAL_MS. */
const INTERVAL_MS = 2000;
/**
 * Interval at which each stream called place.lua in earlier versions, which did not notify streams about free slots.
 */
const POLL_MS = 250;
const POLLED = 5000;

/**
 * Measures the load on Redis while 10,000 streams wait for a worker. For comparison, calls the current place.lua 5,000
 * times. From these calls, estimates the load that would result if all waiting streams polled.
 */
export async function measureWaiters(redisUrl: string, prefix: string) {
  const link = connectRedis({ url: redisUrl, name: 'bench', timeoutMs: 10_000 });
  await connected(link);
  const ledger = createLedger(link, { prefix });
  const logger = createLogger('gateway', 'warn');
  const waiters = new Waiters({ pools: ledger.pools, subscribe: link.subscribe, logger, intervalMs: INTERVAL_MS });
  const { gateway } = waiters;
  const streams = Array.from({ length: STREAMS }, (_, at) => ({ sessionId: `s${at}`, tenant: `t${at % TENANTS}` }));
  const place = (stream: { sessionId: string; tenant: string }) => ledger.pools.place(MODEL, { ...stream, gateway });
  for (let at = 0; at < STREAMS; at += 500) await Promise.all(streams.slice(at, at + 500).map(place));

  const joined = streams.map(({ sessionId }) => waiters.join(MODEL, sessionId));
  const waits = joined.map((waiter) => waiter.wait(600_000));
  const notified = await measure(ledger, () => new Promise((resolve) => setTimeout(resolve, DURATION_MS)));
  const polled = await measure(ledger, async () => {
    for (let at = 0; at < POLLED; at += 100) await Promise.all(streams.slice(at, at + 100).map(place));
  });
  for (const waiter of joined) {
    waiter.wake();
    waiter.leave();
  }
  await Promise.all(waits);
  waiters.stop();
  await link.close();
  const pollsPerSecond = (STREAMS * 1000) / POLL_MS;
  return {
    commandsPerSecond: notified.scripts / notified.seconds,
    cpu: notified.cpuSeconds / notified.seconds,
    pollingCommandsPerSecond: pollsPerSecond,
    pollingCpu: (polled.cpuSeconds / polled.scripts) * pollsPerSecond,
  };
}

async function measure(ledger: Ledger, work: () => Promise<unknown>) {
  const before = await readUsage(ledger);
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await readUsage(ledger);
  return { seconds, scripts: after.scripts - before.scripts, cpuSeconds: after.cpuSeconds - before.cpuSeconds };
}

async function readUsage(ledger: Ledger) {
  const info = String(await ledger.link.send('', ['INFO', 'cpu', 'commandstats']));
  const numberOf = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0);
  return {
    scripts: numberOf(/cmdstat_evalsha:calls=(\d+)/),
    cpuSeconds: numberOf(/used_cpu_user:([\d.]+)/) + numberOf(/used_cpu_sys:([\d.]+)/),
  };
}
