import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '@svc-asr/ledger';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../../test/support/gateway.ts';
import { openLedger } from '../../test/support/ledger.ts';
import { freePort } from '../../test/support/ports.ts';
import { startRedis } from '../../test/support/redis.ts';
import { load } from './load.ts';
import type { Round } from './load.ts';
import { memoryOfSessions } from './memory.ts';

const ROUNDS = 5;
const CONNECTIONS = 32;
const DURATION_MS = 3000;
const TENANTS = 200;

/** POST /v1/asr/sessions per second against a bare handler with as many Redis round trips, in alternating rounds. */
export async function bench({ say }: { say: (line: string) => void }) {
  const redis = await startRedis(process.env.FSYNC ? ['--appendfsync', process.env.FSYNC] : []);
  const prefix = ownPrefix();
  const ledger = await openLedger(redis.url, { prefix });
  try {
    await seedCatalogue(ledger);
    const unlimited = { concurrentSessions: 1_000_000, sessionsPerMinute: 1_000_000, requestsPerMinute: 10_000_000 };
    const tenants = await Promise.all(
      Array.from({ length: TENANTS }, () => seedTenant(ledger, 3_600_000_000, { limits: unlimited })),
    );
    const gateway = await startGateway(redis.url, prefix);
    const port = Number(new URL(gateway.baseUrl).port);
    const requests = tenants.map(({ key }) => post(key));
    let next = 0;
    const request = () => requests[next++ % TENANTS] ?? Buffer.alloc(0);
    const base = { connections: CONNECTIONS, request, expectStatus: 201 };

    const roundTrips = await countRoundTrips(ledger, () => load({ ...base, port, durationMs: DURATION_MS }));
    say(`warm; ${roundTrips.toFixed(2)} Redis round trips a session`);
    const floor = await startFloor(redis.url, Math.round(roundTrips));
    await load({ ...base, port: floor.port, durationMs: 1000 });

    const ours: Round[] = [];
    const theirs: Round[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      theirs.push(await load({ ...base, port: floor.port, durationMs: DURATION_MS }));
      ours.push(await load({ ...base, port, durationMs: DURATION_MS }));
      say(`round ${round}: floor ${theirs.at(-1)?.perSecond.toFixed(0)}/s, sessions ${ours.at(-1)?.perSecond.toFixed(0)}/s`);
    }
    floor.stop();
    await gateway.stop();
    const memory = await memoryOfSessions(ledger);
    const [us, them] = [best(ours), best(theirs)];
    return {
      ratios: { throughput_vs_floor: us.perSecond / them.perSecond, p99_vs_floor: us.p99Ms / them.p99Ms },
      figures: {
        sessions_per_second: us.perSecond,
        floor_per_second: them.perSecond,
        p50_ms: us.p50Ms,
        p99_ms: us.p99Ms,
        floor_p99_ms: them.p99Ms,
        redis_round_trips: roundTrips,
        redis_bytes_per_10000_live_sessions: memory,
      },
    };
  } finally {
    await ledger.link.close();
    await redis.stop();
  }
}

function post(key: string): Buffer {
  const body = JSON.stringify({ model: MODEL, max_audio_seconds: 1 });
  return Buffer.from(
    `POST /v1/asr/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function best(rounds: readonly Round[]): Round {
  return rounds.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
}

/** Commands that Redis took over the network for each request of a round, the reaper's and other constant ones left out. */
async function countRoundTrips(ledger: Ledger, work: () => Promise<Round>): Promise<number> {
  const before = await commands(ledger);
  const started = performance.now();
  const { perSecond } = await work();
  const requests = (perSecond * (performance.now() - started)) / 1000;
  return ((await commands(ledger)) - before) / requests;
}

async function commands(ledger: Ledger): Promise<number> {
  const stats = String(await ledger.link.send('', ['INFO', 'commandstats']));
  // Scripts count what they call as well; these are called by the gateway itself for each session.
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

async function startFloor(redisUrl: string, roundTrips: number): Promise<{ port: number; stop: () => void }> {
  const port = await freePort();
  const file = fileURLToPath(new URL('floor.ts', import.meta.url));
  const env = { ...process.env, PORT: String(port), REDIS_URL: redisUrl, ROUND_TRIPS: String(roundTrips) };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return { port, stop: () => child.kill() };
}
