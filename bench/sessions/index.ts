import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '@svc-asr/ledger';
import { MODEL, seedCatalogue, startGateway } from '../../test/support/gateway.ts';
import { openLedger } from '../../test/support/ledger.ts';
import { freePort } from '../../test/support/ports.ts';
import { DURABLE as ON_DISK, startRedis } from '../../test/support/redis.ts';
import { openAccounts } from './accounts.ts';
import { load } from './load.ts';
import type { Round } from './load.ts';
import { memoryOfSessions } from './memory.ts';
import { measureWaiters } from './waiters.ts';

/**
 * Number of rounds. There are many short rounds, because the speed of a shared machine changes within seconds. Rounds
 * of the gateway and of the minimal handlers must run while the machine is equally fast.
 */
const ROUNDS = 30;
/**
 * Number of connections. They keep the gateway and the minimal handlers busy. With half as many, the gateway is idle
 * for a fifth of the time.
 */
const CONNECTIONS = 128;
const DURATION_MS = 1000;
/**
 * Time at the start of a round during which the round is not yet measured. Caches are cold after the round of the other
 * server, and the accounts are new.
 */
const SETTLE_MS = 300;
/** Time of the warm-up. Until Node has compiled the hot code, requests take several times as long. */
const WARM_UP_MS = 12_000;
/** Lifetime of sessions. It is longer than the benchmark, which does not measure the expiry of sessions. */
const SESSION_TTL_MS = '600000';
/** Default key prefix of the service. */
const PREFIX = 'svc';
/**
 * Disables rewrites of the append-only file. Rewrites would run on another core during some of the rounds and disturb
 * those rounds.
 */
const REDIS_OPTIONS = ['--auto-aof-rewrite-percentage', '0'];

/** A trivial script that writes. Each call therefore waits for the disk, as a call of a gateway does. */
const DURABLE = "redis.call('SET', KEYS[1], 1) return 1";
/** A trivial script that does not write. Compared with DURABLE, it shows what the wait for the disk costs. */
const READ_ONLY = 'return 1';

/**
 * Measures how many POST /v1/asr/sessions requests the gateway handles per second. Compares this rate with that of
 * minimal handlers that make as many Redis round trips for each request. Rounds of the gateway and of the handlers
 * alternate.
 */
export async function bench({ logProgress }: { logProgress: (line: string) => void }) {
  const redis = await startRedis([...ON_DISK, ...REDIS_OPTIONS]);
  const ledger = await openLedger(redis.url, { prefix: PREFIX });
  const stops: (() => unknown)[] = [() => ledger.link.close(), () => redis.stop()];
  try {
    await seedCatalogue(ledger);
    const accounts = await openAccounts(ledger, PREFIX);
    // The benchmark does not read the log of the gateway, because that would use the core that sends the requests. The
    // gateway still writes its log.
    const gateway = await startGateway(redis.url, PREFIX, { SESSION_TTL_MS }, { readsOutput: false });
    stops.unshift(() => gateway.stop());
    const requests = accounts.apiKeys.map(post);
    let next = 0;
    const round = (port: number, durationMs = DURATION_MS, settleMs = SETTLE_MS) =>
      load({
        port,
        connections: CONNECTIONS,
        durationMs,
        settleMs,
        request: () => requests[next++ % requests.length] ?? Buffer.alloc(0),
        expectStatus: 201,
      });

    const ours = Number(new URL(gateway.baseUrl).port);
    const roundTrips = await countRoundTrips(ledger, () => round(ours, WARM_UP_MS, 0));
    logProgress(`warm; ${roundTrips.toFixed(2)} Redis round trips per session`);
    const durable = await startFloor(redis.url, Math.round(roundTrips), DURABLE);
    const readOnly = await startFloor(redis.url, Math.round(roundTrips), READ_ONLY);
    stops.unshift(durable.stop, readOnly.stop);
    for (const { port } of [durable, readOnly]) await round(port, WARM_UP_MS, 0);

    const rounds: Record<'durable' | 'readOnly' | 'ours', Round[]> = { durable: [], readOnly: [], ours: [] };
    for (let i = 1; i <= ROUNDS; i++) {
      await accounts.renew();
      rounds.durable.push(await round(durable.port));
      rounds.ours.push(await round(ours));
      rounds.readOnly.push(await round(readOnly.port));
      const each = Object.entries(rounds).map(([name, all]) => `${name} ${all.at(-1)?.perSecond.toFixed(0)}/s`);
      logProgress(`round ${i}: ${each.join(', ')}`);
    }
    const waiters = await measureWaiters(redis.url, PREFIX);
    const { ours: us, durable: floor, readOnly: readers } = rounds;
    return {
      ratios: {
        throughput_vs_floor: ratio(us, floor, 'perSecond'),
        throughput_vs_read_only_floor: ratio(us, readers, 'perSecond'),
        p99_vs_floor: ratio(us, floor, 'p99Ms'),
        waiters_cpu_vs_polling: waiters.cpu / waiters.pollingCpu,
      },
      figures: {
        sessions_per_second: median(us.map(({ perSecond }) => perSecond)),
        floor_per_second: median(floor.map(({ perSecond }) => perSecond)),
        read_only_floor_per_second: median(readers.map(({ perSecond }) => perSecond)),
        best_sessions_per_second: Math.max(...us.map(({ perSecond }) => perSecond)),
        best_floor_per_second: Math.max(...floor.map(({ perSecond }) => perSecond)),
        p50_ms: median(us.map(({ p50Ms }) => p50Ms)),
        p99_ms: median(us.map(({ p99Ms }) => p99Ms)),
        floor_p99_ms: median(floor.map(({ p99Ms }) => p99Ms)),
        redis_round_trips: roundTrips,
        waiters_redis_commands_per_second: waiters.commandsPerSecond,
        waiters_redis_cpu: waiters.cpu,
        waiters_polling_redis_cpu: waiters.pollingCpu,
        redis_bytes_per_10000_live_sessions: await memoryOfSessions(ledger),
      },
    };
  } finally {
    for (const stop of stops) await stop();
  }
}

function post(key: string): Buffer {
  const body = JSON.stringify({ model: MODEL, max_audio_seconds: 1 });
  return Buffer.from(
    `POST /v1/asr/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/**
 * Returns the median of the ratios between a round of the gateway and the adjacent round of the other server. The speed
 * of a shared machine can double within a run, so the best rounds of two servers are not comparable.
 */
function ratio(ours: readonly Round[], theirs: readonly Round[], of: 'perSecond' | 'p99Ms'): number {
  return median(ours.map((round, i) => round[of] / (theirs[i]?.[of] ?? NaN)));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/**
 * Returns the number of scripts that Redis ran for each request of a round. It includes the few scripts of the reaper.
 */
async function countRoundTrips(ledger: Ledger, work: () => Promise<Round>): Promise<number> {
  const before = await scriptsRun(ledger);
  const { requests } = await work();
  return ((await scriptsRun(ledger)) - before) / requests;
}

async function scriptsRun(ledger: Ledger): Promise<number> {
  const stats = String(await ledger.link.send('', ['INFO', 'commandstats']));
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

async function startFloor(redisUrl: string, roundTrips: number, script: string) {
  const port = await freePort();
  const file = fileURLToPath(new URL('floor.ts', import.meta.url));
  const settings = { PORT: String(port), REDIS_URL: redisUrl, ROUND_TRIPS: String(roundTrips), SCRIPT: script };
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return { port, stop: () => child.kill() };
}
