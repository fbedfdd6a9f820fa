import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMetrics } from '@svc-asr/runtime';
import { createInstruments, observe } from './metrics.ts';
import type { PoolReading } from './metrics.ts';

/** Builds the metrics of an operator with these pools. Returns their lines that start with `prefix`. */
async function readLines(prefix: string, pools: readonly PoolReading[]): Promise<string[]> {
  const metrics = createMetrics('operator');
  observe(metrics.meter, {
    queueDepth: () => ({ ready: 0, inFlight: 0, delayed: 0 }),
    resourceKinds: () => [],
    invalidResources: () => 0,
    heldDeletions: () => 0,
    lastSyncSeconds: () => undefined,
    pools: () => pools,
    ledgerMissing: () => false,
    isLeader: () => true,
    redisMemory: () => undefined,
    journal: () => undefined,
  });
  return scrape(metrics, prefix);
}

/** Scrapes the metrics once and stops them. Returns their lines that start with `prefix`. */
async function scrape(metrics: ReturnType<typeof createMetrics>, prefix: string): Promise<string[]> {
  const text = await new Promise<string>((resolve) => {
    const response = { setHeader: () => undefined, end: resolve } as unknown as ServerResponse;
    metrics.serve({} as IncomingMessage, response);
  });
  await metrics.stop();
  return text.split('\n').filter((line) => line.startsWith(prefix));
}

const tier = (name: string, ready: number) => ({
  name,
  desired: 2,
  running: ready + 1,
  ready,
  slots: ready * 40,
  used: ready * 30,
  startFailure: ready === 0 ? { reason: 'CrashLoop', message: 'workers fail to start' } : undefined,
});
const pool = (model: string, tiers?: PoolReading['tiers']): PoolReading => ({
  model,
  desired: 2,
  running: 2,
  ready: 2,
  slots: undefined,
  startFailure: undefined,
  failingNodes: [],
  tiers,
});

test('the operator has metrics for each tier of a model, and none for workers that belong to no tier', async () => {
  const lines = await readLines('svc_asr_pool_tier_', [
    pool('m', [tier('gpu', 0), tier('cpu', 1), tier('', 2)]),
    pool('plain'),
  ]);
  expect(lines.toSorted()).toEqual([
    'svc_asr_pool_tier_slots{model="m",tier="cpu"} 40',
    'svc_asr_pool_tier_slots{model="m",tier="gpu"} 0',
    'svc_asr_pool_tier_start_failing{model="m",tier="cpu"} 0',
    'svc_asr_pool_tier_start_failing{model="m",tier="gpu"} 1',
    'svc_asr_pool_tier_streams{model="m",tier="cpu"} 30',
    'svc_asr_pool_tier_streams{model="m",tier="gpu"} 0',
    'svc_asr_pool_tier_workers{model="m",tier="cpu",state="desired"} 2',
    'svc_asr_pool_tier_workers{model="m",tier="cpu",state="ready"} 1',
    'svc_asr_pool_tier_workers{model="m",tier="cpu",state="running"} 2',
    'svc_asr_pool_tier_workers{model="m",tier="gpu",state="desired"} 2',
    'svc_asr_pool_tier_workers{model="m",tier="gpu",state="ready"} 0',
    'svc_asr_pool_tier_workers{model="m",tier="gpu",state="running"} 1',
  ]);
});

test('the operator counts the nodes on which workers of a model fail', async () => {
  const lines = await readLines('svc_asr_pool_failing_nodes', [{ ...pool('m'), failingNodes: ['a', 'b'] }, pool('n')]);
  expect(lines).toEqual(['svc_asr_pool_failing_nodes{model="m"} 2', 'svc_asr_pool_failing_nodes{model="n"} 0']);
});

test('the watch age of a kind is the longest time since the last activity of its watch in any namespace', async () => {
  const metrics = createMetrics('operator');
  let nowMs = 0;
  const { noteWatchActivity } = createInstruments(metrics.meter, () => nowMs);
  noteWatchActivity('ASRModel', 'asr');
  noteWatchActivity('ASRModel', 'team');
  nowMs = 60_000;
  noteWatchActivity('ASRModel', 'asr');
  expect(await scrape(metrics, 'svc_asr_operator_watch_age_seconds{')).toEqual([
    expect.stringMatching(/kind="ASRModel".* 60$/),
  ]);
});
