import { TEST_SIZES, buildTestGraph } from '../testing/gpu-graph.ts';
import { leastGrowth } from '../testing/memory-growth.ts';
import { memory, runtime, saveGraph, SESSION_OPTIONS } from '../testing/native.ts';
import type { OnnxGraph } from '../testing/onnx-writer.ts';
import { DeviceArenas, arenaBytes } from './arenas.ts';
import type { DeviceBatch } from './batch.ts';
import { DeviceGraph, openGraph } from './graph.ts';
import type { OpenGraph } from './graph.ts';

const SIZE = { frames: 24, slots: 6, pageFrames: 2 };
const STATE = { layers: 1, width: 4, tail: 2, row: 2, precision: 'float32' } as const;

function open(graph: OnnxGraph): OpenGraph {
  return openGraph(runtime, memory, saveGraph(graph), 'gpu/4-1.onnx', SESSION_OPTIONS);
}

/** Opens the test graph with arenas whose pages contain NaN, except for the zero page. */
function createGraph(sizes: number[]): { graph: DeviceGraph; arenas: DeviceArenas; close: () => void } {
  const opened = open(buildTestGraph());
  const arenas = new DeviceArenas(runtime, memory, opened.shape.state, SIZE);
  arenas.poison();
  const graph = new DeviceGraph(runtime, memory, opened, arenas, sizes, false);
  const close = () => {
    graph.release();
    arenas.release();
  };
  return { graph, arenas, close };
}

interface Row {
  samples: number[];
  past?: [number, number];
  page: number;
  tailFrom?: number;
  tailTo: number;
  filled?: number;
  bounds?: [number, number, number, number];
}

function fill({ inputs }: DeviceBatch, rows: readonly Row[]): void {
  for (const [i, row] of rows.entries()) {
    inputs.pcm.set(row.samples, i * TEST_SIZES.samples);
    inputs.bounds.set(row.bounds ?? [0, 8, 0, 25], i * 4);
    inputs.past.set(row.past ?? [0, 0], i * 2);
    inputs.page[i] = row.page;
    inputs.tailFrom[i] = row.tailFrom ?? 0;
    inputs.tailTo[i] = row.tailTo;
    inputs.filled[i] = row.filled ?? 0;
  }
}

function run(graph: DeviceGraph, rows: readonly Row[]): { ids: number[]; scores: number[] } {
  const batch = graph.acquire(rows.length);
  if (batch === undefined) throw new Error('no batch is idle');
  fill(batch, rows);
  batch.submit(rows.length);
  const { ids, scores } = batch.collect();
  return { ids: [...ids.subarray(0, rows.length * 2)], scores: [...scores.subarray(0, rows.length * 2)] };
}

const ones = [1, 1, 1, 1, 1, 1, 1, 1];
const twos = [2, 2, 2, 2, 2, 2, 2, 2];

describe('openGraph', () => {
  test('reads the sizes of a graph from its metadata', () => {
    const { session, shape } = open(buildTestGraph());
    expect(shape).toMatchObject({
      type: 'ctc',
      context: [4, 1],
      mels: 80,
      heads: 1,
      classes: 10,
      blank: 9,
      frames: 2,
      pages: 2,
      samples: TEST_SIZES.samples,
      takesPrompt: false,
      encodedWidth: undefined,
      state: STATE,
      framing: { window: 25, shift: 16, lead: 16 },
    });
    session.release();
  });

  const graph = buildTestGraph();
  const withMetadata = (change: Record<string, string>): OnnxGraph => ({
    ...graph,
    metadata: { ...graph.metadata, ...change },
  });
  test.each<[string, OnnxGraph, RegExp]>([
    ['another format', withMetadata({ gpu_format: '2' }), /gpu_format is "2".*training\/optimize/],
    ['an unknown type', withMetadata({ type: 'attention' }), /type is "attention"/],
    ['an unknown precision', withMetadata({ precision: 'f8' }), /precision is "f8"/],
    ['a subsampling that is no power of two', withMetadata({ subsampling: '6' }), /subsampling is 6, expected a power/],
    ['a number that is missing', withMetadata({ blank: '' }), /metadata "blank" is ""/],
    ['rows that do not divide a frame', withMetadata({ row: '3' }), /row 3 does not divide the width 4/],
    ['another number of layers', withMetadata({ layers: '2' }), /no input "keys_1"/],
    ['another context', withMetadata({ left: '6' }), /dimension 1 of past is 3 by its metadata but 2 by its graph/],
    ['another precision', withMetadata({ precision: 'f16' }), /"keys_0" is float32\[any, 2\], expected float16/],
    [
      'an extra input',
      { ...graph, inputs: [...graph.inputs, { name: 'extra', type: 'int32', shape: [1] }] },
      /"extra" is not among the inputs/,
    ],
  ])('refuses %s', (_, changed, message) => {
    expect(() => open(changed)).toThrow(
      expect.objectContaining({ name: 'ModelError', message: expect.stringMatching(message) }),
    );
  });

  test('throws a ModelError with the file name if the file is missing', () => {
    expect(() => openGraph(runtime, memory, '/missing.onnx', 'gpu/4-1.onnx', SESSION_OPTIONS)).toThrow(
      expect.objectContaining({ code: 'graph_unreadable', message: expect.stringMatching(/^gpu\/4-1\.onnx: /) }),
    );
  });
});

describe('DeviceGraph', () => {
  test('keeps the state of streams in the arenas between runs', () => {
    const { graph, close } = createGraph([2]);
    const first = run(graph, [
      { samples: ones, page: 4, tailTo: 2 },
      { samples: twos, page: 6, tailTo: 3 },
    ]);
    // The past of both rows is the zero page, and all other pages contain NaN. The second score of a row is the sum of
    // the row's bounds.
    expect(first).toEqual({ ids: [8, 9, 16, 17], scores: [-8, 33, -16, 33] });
    const second = run(graph, [
      { samples: twos, past: [0, 6], page: 8, tailFrom: 3, tailTo: 3, filled: 2 },
      { samples: twos, past: [0, 4], page: 10, tailFrom: 2, tailTo: 2, filled: 2 },
    ]);
    expect(second).toEqual({ ids: [32, 33, 24, 25], scores: [-30, 17, -22, 25] });
    const third = run(graph, [{ samples: ones, past: [6, 8], page: 6, tailFrom: 3, tailTo: 3, filled: 4 }]);
    expect(third).toEqual({ ids: [40, 41], scores: [-36, 17] });
    close();
  });

  test('pads a batch without touching the state of streams or the zero page', () => {
    const { graph, arenas, close } = createGraph([4]);
    const before = arenas.read('keys_0', 4, 20);
    run(graph, [{ samples: ones, page: 22, tailTo: 5 }]);
    expect(new Uint32Array(arenas.read('keys_0', 4, 18))).toEqual(new Uint32Array(before.slice(0, 18 * 16)));
    expect(new Float32Array(arenas.read('keys_0', 22, 2))).toEqual(Float32Array.from(ones));
    expect(new Float32Array(arenas.read('values_0', 22, 2))).toEqual(Float32Array.from(ones, (x) => -x));
    expect(new Float32Array(arenas.read('tails_0', 10, 2))).toEqual(Float32Array.from(ones, (x) => -x));
    for (const name of ['keys_0', 'values_0', 'tails_0']) {
      expect(new Float32Array(arenas.read(name, 0, 2))).toEqual(new Float32Array(8));
    }
    close();
  });

  test('acquires the smallest batch with enough rows, and has two batches of each size', () => {
    const { graph, close } = createGraph([4, 1, 2]);
    expect(graph.sizes).toEqual([1, 2, 4]);
    const batches = [graph.acquire(2), graph.acquire(2)];
    expect(batches.map((batch) => batch?.size)).toEqual([2, 2]);
    expect(graph.acquire(2)).toBeUndefined();
    expect(graph.acquire(3)?.size).toBe(4);
    batches[0]?.abandon();
    expect(graph.acquire(2)).toBe(batches[0]);
    expect(() => graph.acquire(5)).toThrow('a batch has at most 4 rows, not 5');
    close();
  });

  test('runs two batches in the order in which they were submitted', () => {
    const { graph, close } = createGraph([1]);
    const [first, second] = [graph.acquire(1), graph.acquire(1)];
    if (first === undefined || second === undefined) throw new Error('no batch is idle');
    fill(first, [{ samples: ones, page: 4, tailTo: 2 }]);
    first.submit(1);
    fill(second, [{ samples: twos, past: [0, 4], page: 6, tailFrom: 2, tailTo: 2, filled: 2 }]);
    second.submit(1);
    expect([first.isDone(), second.isDone()]).toEqual([true, true]);
    expect([...first.collect().ids]).toEqual([8, 9]);
    expect([...second.collect().ids]).toEqual([24, 25]);
    expect(Object.values(second.timing()).every((ms) => ms >= 0)).toBe(true);
    close();
  });

  test('throws if a method of a batch is called in the wrong phase', () => {
    const { graph, close } = createGraph([1]);
    const batch = graph.acquire(1);
    expect(() => batch?.collect()).toThrow('the batch is filling, expected running');
    batch?.submit(0);
    expect(() => batch?.submit(0)).toThrow('the batch is running, expected filling');
    batch?.collect();
    expect(() => batch?.submit(0)).toThrow('the batch is idle, expected filling');
    close();
  });

  test('sends nothing to the device if an index is invalid, and can be used again afterwards', () => {
    const { graph, arenas, close } = createGraph([2]);
    const before = arenas.read('keys_0', 0, 24);
    const invalid = [
      { samples: ones, page: 4, tailTo: 2 },
      { samples: ones, page: 23, tailTo: 3 },
    ];
    const batch = graph.acquire(2);
    if (batch !== undefined) fill(batch, invalid);
    expect(() => batch?.submit(2)).toThrow(expect.objectContaining({ code: 'index_invalid' }));
    batch?.abandon();
    expect(new Uint32Array(arenas.read('keys_0', 0, 24))).toEqual(new Uint32Array(before));
    expect(run(graph, [{ samples: ones, page: 4, tailTo: 2 }]).ids).toEqual([8, 9]);
    close();
  });

  test('does not change the state of streams in warmUp, and has an idle batch afterwards', () => {
    const { graph, arenas, close } = createGraph([1, 2]);
    graph.warmUp();
    expect(new Float32Array(arenas.read('keys_0', 4, 20)).every(Number.isNaN)).toBe(true);
    expect(graph.acquire(1)?.size).toBe(1);
    close();
  });

  test('does not take more memory after thousands of runs', () => {
    const { graph, close } = createGraph([2]);
    const cycle = () => run(graph, [{ samples: ones, page: 4, tailTo: 2 }]);
    // The samples of one batch take 17 kB. If each of the 2000 runs leaked them, the process would grow by 34 MB.
    expect(leastGrowth(2000, cycle)).toBeLessThan(25e6);
    close();
  });
});

test('arenaBytes counts keys, values and tails of all layers', () => {
  expect(arenaBytes({ ...STATE, layers: 3, precision: 'float16' }, SIZE)).toBe(3 * (2 * 24 * 8 + 6 * 2 * 8));
});
