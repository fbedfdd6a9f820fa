import { setTimeout } from 'node:timers/promises';
import { buildFraming, samplesFor } from '../features/framing.ts';
import { DeviceLost } from './backend.ts';
import type { Backend, Work } from './backend.ts';
import type { Lane } from './lane.ts';
import { InferenceLoop } from './loop.ts';
import type { Mark, StreamEvent } from './protocol.ts';
import type { Search } from './search.ts';
import { AudioRing, createSharedBuffers, Gauges } from './shared.ts';

const CONTEXT = '56,13';
const framing = buildFraming(13, 8);
const window = new Int16Array(samplesFor(framing, 1));
const chunk = new Int16Array(samplesFor(framing, 2) - samplesFor(framing, 1));

/** A run that lasts until the test ends it. */
interface Run {
  readonly ids: readonly number[];
  readonly lanes: readonly Lane[];
  end(): void;
  fail(error: Error): void;
}

/** Starts a loop on a backend whose runs last until the test ends them. */
function startLoop({ maxBatch = 1, maxRuns = 1 } = {}) {
  const shared = createSharedBuffers(4);
  const contexts = new Map([[CONTEXT, { framing, subsampling: 8, recomputesHistory: false }]]);
  const startSearch = () => ({ transcript: { text: '', words: () => [] } }) as unknown as Search;
  const backend = { contexts, maxBatch, maxRuns, paddedSizes: undefined, startSearch } as unknown as Backend;
  const runs: Run[] = [];
  const events: StreamEvent[] = [];
  const runner = {
    run: (batch: readonly Work[], isOpen: (lane: Work['lane']) => boolean) =>
      new Promise<StreamEvent[]>((resolve, reject) => {
        const end = () => {
          resolve(batch.flatMap(({ lane }) => (isOpen(lane) ? lane.advance(14) : [])));
        };
        const lanes = batch.map(({ lane }) => lane);
        runs.push({ ids: lanes.map(({ id }) => id), lanes, end, fail: reject });
      }),
  };
  const report = (reported: readonly StreamEvent[]) => events.push(...reported);
  const loop = new InferenceLoop({ backend, runner, shared, gauges: new Gauges(shared), costs: new Map(), report });
  const ended = loop.run();
  const send = async (...commands: Parameters<typeof loop.take>[0]) => {
    loop.take(commands);
    await settle();
  };
  const open = (id: number, slot: number) => {
    const ring = new AudioRing(shared, slot);
    ring.clear();
    ring.write(window);
    return send(
      { kind: 'open', id, slot, context: CONTEXT, utterance: 0, realtimeFrom: 0, endpointing: undefined, phrases: [] },
      { kind: 'wake', ids: [id] },
    );
  };
  const write = (id: number, slot: number) => {
    new AudioRing(shared, slot).write(chunk);
    return send({ kind: 'wake', ids: [id] });
  };
  const mark = (id: number, slot: number, kind: Mark['kind']) => {
    const ring = new AudioRing(shared, slot);
    ring.mark();
    return send({ kind: 'mark', id, mark: { kind, at: ring.written } });
  };
  const kindsOf = (id: number) => events.filter((event) => event.id === id).map(({ kind }) => kind);
  return { runs, ended, send, open, write, mark, kindsOf };
}

/** Waits until all promises that result from the last call have settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('InferenceLoop', () => {
  test('reports the reset of a queued stream even if no run follows', async () => {
    const { runs, send, open, mark, kindsOf, ended } = startLoop();
    await open(1, 0);
    await open(2, 1);
    await mark(2, 1, 'reset');
    expect(runs.map(({ ids }) => ids)).toEqual([[1]]);
    runs[0]?.end();
    await settle();
    expect(runs).toHaveLength(1);
    expect(kindsOf(2)).toEqual(['reset', 'consumed']);
    await send({ kind: 'stop' });
    await ended;
  });

  test('ends each stream of a failed run with one error, and continues with other streams', async () => {
    const { runs, send, open, mark, kindsOf, ended } = startLoop();
    await open(1, 0);
    await open(2, 1);
    runs[0]?.fail(new Error('the graph failed'));
    await settle();
    await mark(1, 0, 'flush');
    await send({ kind: 'close', id: 1 });
    expect(kindsOf(1)).toEqual(['failed', 'closed']);
    runs[1]?.end();
    await settle();
    expect(kindsOf(2)).toEqual(['consumed']);
    await send({ kind: 'stop' });
    await ended;
  });

  test('frees the slot of a stream that closes during its run, and reports no result of that run for it', async () => {
    const { runs, send, open, kindsOf, ended } = startLoop();
    await open(1, 0);
    await send({ kind: 'close', id: 1 });
    await open(2, 0);
    runs[0]?.end();
    await settle();
    expect(runs.map(({ ids }) => ids)).toEqual([[1], [2]]);
    expect(kindsOf(1)).toEqual(['closed']);
    runs[1]?.end();
    await settle();
    expect(kindsOf(2)).toEqual(['consumed']);
    await send({ kind: 'stop' });
    await ended;
  });

  test('starts a second run during the first one only if the second run has a full batch, and never with a stream that is already in a run', async () => {
    const { runs, send, open, ended } = startLoop({ maxBatch: 2, maxRuns: 2 });
    await open(1, 0);
    await open(2, 1);
    await send({ kind: 'wake', ids: [1, 2] });
    expect(runs.map(({ ids }) => ids)).toEqual([[1]]);
    await open(3, 2);
    expect(runs.map(({ ids }) => ids)).toEqual([[1], [2, 3]]);
    for (const run of runs) run.end();
    await send({ kind: 'stop' });
    await ended;
  });

  test('runs a stream that is ahead of real time as soon as the time share of such streams allows it, even if no further command arrives', async () => {
    const { runs, send, open, write, ended } = startLoop();
    const endLast = async (pace: { aheadMs: number }, lastedMs: number) => {
      await setTimeout(lastedMs);
      for (const lane of runs.at(-1)?.lanes ?? []) lane.pace = { ...pace, atMs: performance.now() };
      runs.at(-1)?.end();
      await settle();
    };
    await open(1, 0);
    // Waits for the duration of a chunk, so that the second chunk arrives no earlier than a microphone would send it.
    await endLast({ aheadMs: 0 }, 1300);
    await write(1, 0);
    await endLast({ aheadMs: 0 }, 0);
    await open(2, 1);
    await write(2, 1);
    await write(2, 1);
    await endLast({ aheadMs: 60_000 }, 0);
    expect(runs.map(({ ids }) => ids)).toEqual([[1], [1], [2], [2]]);
    await endLast({ aheadMs: 60_000 }, 20);
    expect(runs).toHaveLength(4);
    while (runs.length < 5) await setTimeout(5);
    expect(runs.at(-1)?.ids).toEqual([2]);
    await endLast({ aheadMs: 60_000 }, 0);
    await send({ kind: 'stop' });
    await ended;
  });

  test('stops only after the runs in progress have ended', async () => {
    const { runs, send, open, ended } = startLoop();
    let stopped = false;
    void ended.then(() => (stopped = true));
    await open(1, 0);
    await send({ kind: 'stop' });
    expect(stopped).toBe(false);
    runs[0]?.end();
    await ended;
  });

  test('throws after a run that lost the device, and ends the streams of that run', async () => {
    const { runs, open, ended, kindsOf } = startLoop();
    await open(1, 0);
    await open(2, 1);
    runs[0]?.fail(new DeviceLost('CUDA error 700'));
    await expect(ended).rejects.toThrow('CUDA error 700');
    expect(kindsOf(1)).toEqual(['failed', 'closed']);
    expect(runs).toHaveLength(1);
  });
});
