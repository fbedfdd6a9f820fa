import { InferenceSession } from 'onnxruntime-node';
import { leastGrowth } from '../testing/memory-growth.ts';
import { memory, runtime, saveGraph, SESSION_OPTIONS } from '../testing/native.ts';
import type { OnnxGraph } from '../testing/onnx-writer.ts';
import { cudaSettings } from './runtime.ts';
import type { ElementType, NativeTensor } from './tensor.ts';

/** Graph that writes the rows of a batch to an arena, at the indices in the batch. Returns the sum of each row. */
const SCATTER: OnnxGraph = {
  inputs: [
    { name: 'arena', type: 'float32', shape: ['R', 4] },
    { name: 'index', type: 'int64', shape: ['B', 1] },
    { name: 'rows', type: 'float32', shape: ['B', 4] },
  ],
  outputs: [
    { name: 'arena_next', type: 'float32', shape: ['R', 4] },
    { name: 'sums', type: 'float32', shape: ['B', 1] },
  ],
  tensors: [{ name: 'axes', type: 'int64', shape: [1], data: [1] }],
  nodes: [
    { op: 'ScatterND', inputs: ['arena', 'index', 'rows'], outputs: ['arena_next'] },
    { op: 'ReduceSum', inputs: ['rows', 'axes'], outputs: ['sums'] },
  ],
  metadata: { gpu_format: '1', empty: '' },
};

/** Allocates a tensor of zeros. Returns the tensor and a buffer for its memory. */
function createTensor(type: ElementType, shape: number[]): { tensor: NativeTensor; buffer: ArrayBuffer } {
  const { pointer, buffer } = memory.allocateHost(shape.reduce((a, b) => a * b, 8));
  memory.fill(pointer, 0, buffer.byteLength);
  return { tensor: runtime.createTensor(memory, pointer, type, shape), buffer };
}

describe('NativeSession on CPUs', () => {
  test('reports names, types and shapes of inputs and outputs, and metadata', () => {
    const session = runtime.createSession(saveGraph(SCATTER), memory, SESSION_OPTIONS);
    expect(session.ports('graph.onnx')).toEqual({
      file: 'graph.onnx',
      inputs: [
        { name: 'arena', type: 'float32', shape: ['any', 4] },
        { name: 'index', type: 'int64', shape: ['any', 1] },
        { name: 'rows', type: 'float32', shape: ['any', 4] },
      ],
      outputs: [
        { name: 'arena_next', type: 'float32', shape: ['any', 4] },
        { name: 'sums', type: 'float32', shape: ['any', 1] },
      ],
    });
    expect(session.metadata('gpu_format')).toBe('1');
    expect(session.metadata('empty')).toBe('');
    expect(session.metadata('missing')).toBeUndefined();
    session.release();
  });

  test('writes in place if an input and an output are bound to the same memory', () => {
    const session = runtime.createSession(saveGraph(SCATTER), memory, SESSION_OPTIONS);
    const arena = createTensor('float32', [8, 4]);
    const index = createTensor('int64', [2, 1]);
    const rows = createTensor('float32', [2, 4]);
    const sums = createTensor('float32', [2, 1]);
    const binding = session.bind({
      inputs: new Map([
        ['arena', arena.tensor],
        ['index', index.tensor],
        ['rows', rows.tensor],
      ]),
      outputs: new Map([
        ['arena_next', arena.tensor],
        ['sums', sums.tensor],
      ]),
      graphId: undefined,
      synchronize: true,
    });
    new BigInt64Array(index.buffer).set([6n, 1n]);
    new Float32Array(rows.buffer).set([1, 2, 3, 4, 5, 6, 7, 8]);
    binding.run();
    const content = new Float32Array(arena.buffer);
    expect([...content.subarray(24, 28)]).toEqual([1, 2, 3, 4]);
    expect([...content.subarray(4, 8)]).toEqual([5, 6, 7, 8]);
    expect(content.subarray(0, 32).reduce((a, b) => a + b)).toBe(36);
    expect([...new Float32Array(sums.buffer, 0, 2)]).toEqual([10, 26]);
    binding.release();
    for (const { tensor } of [arena, index, rows, sums]) tensor.release();
    session.release();
  });

  test('throws the message of ONNX Runtime if a file is missing', () => {
    expect(() => runtime.createSession('/missing/graph.onnx', memory, SESSION_OPTIONS)).toThrow(
      expect.objectContaining({
        name: 'NativeError',
        code: 'call_failed',
        message: expect.stringMatching(/CreateSession: .*graph\.onnx/),
      }),
    );
  });

  test('refuses to bind an input that the graph does not have', () => {
    const session = runtime.createSession(saveGraph(SCATTER), memory, SESSION_OPTIONS);
    const { tensor } = createTensor('float32', [1, 4]);
    const bind = () =>
      session.bind({ inputs: new Map([['wrong', tensor]]), outputs: new Map(), graphId: undefined, synchronize: true });
    expect(bind).toThrow(/BindInput: .*wrong/);
    tensor.release();
    session.release();
  });

  test('throws if an index of a run is outside of the bound memory', () => {
    const session = runtime.createSession(saveGraph(SCATTER), memory, SESSION_OPTIONS);
    const [arena, index] = [createTensor('float32', [8, 4]), createTensor('int64', [1, 1])];
    const [rows, sums] = [createTensor('float32', [1, 4]), createTensor('float32', [1, 1])];
    const inputs = new Map([
      ['arena', arena.tensor],
      ['index', index.tensor],
      ['rows', rows.tensor],
    ]);
    const outputs = new Map([
      ['arena_next', arena.tensor],
      ['sums', sums.tensor],
    ]);
    const binding = session.bind({ inputs, outputs, graphId: undefined, synchronize: true });
    new BigInt64Array(index.buffer)[0] = 8n;
    expect(() => binding.run()).toThrow(/RunWithBinding: .*ScatterND/);
    binding.release();
    for (const { tensor } of [arena, index, rows, sums]) tensor.release();
    session.release();
  });

  test('uses the same memory for a shared initializer in two sessions', () => {
    const graph: OnnxGraph = {
      inputs: [{ name: 'x', type: 'float32', shape: [2] }],
      outputs: [{ name: 'y', type: 'float32', shape: [2] }],
      tensors: [{ name: 'weight', type: 'float32', shape: [2], data: [0, 0] }],
      nodes: [{ op: 'Add', inputs: ['x', 'weight'], outputs: ['y'] }],
    };
    const file = saveGraph(graph);
    const [weight, x, y] = [createTensor('float32', [2]), createTensor('float32', [2]), createTensor('float32', [2])];
    const options = { ...SESSION_OPTIONS, initializers: new Map([['weight', weight.tensor]]) };
    const sessions = [runtime.createSession(file, memory, options), runtime.createSession(file, memory, options)];
    for (const [i, session] of sessions.entries()) {
      new Float32Array(weight.buffer).set([i + 1, i + 10]);
      const [inputs, outputs] = [new Map([['x', x.tensor]]), new Map([['y', y.tensor]])];
      const binding = session.bind({ inputs, outputs, graphId: undefined, synchronize: true });
      binding.run();
      expect([...new Float32Array(y.buffer, 0, 2)]).toEqual([i + 1, i + 10]);
      binding.release();
    }
    for (const session of sessions) session.release();
    for (const { tensor } of [weight, x, y]) tensor.release();
  });

  test('runs in the same process as a session of onnxruntime-node', async () => {
    const file = saveGraph(SCATTER);
    const other = await InferenceSession.create(file);
    const session = runtime.createSession(file, memory, SESSION_OPTIONS);
    expect(session.ports('graph.onnx').inputs.map(({ name }) => name)).toEqual(other.inputNames);
    session.release();
    await other.release();
  });

  test('frees the memory of released sessions, bindings and tensors', () => {
    const file = saveGraph(SCATTER);
    const block = memory.allocate(64);
    const cycle = () => {
      const session = runtime.createSession(file, memory, SESSION_OPTIONS);
      const rows = runtime.createTensor(memory, block, 'float32', [4, 4]);
      const inputs = new Map([['rows', rows]]);
      session.bind({ inputs, outputs: new Map(), graphId: 1, synchronize: false }).release();
      rows.release();
      session.release();
    };
    // A session takes about 80 kB, so 800 leaked sessions would take 64 MB.
    expect(leastGrowth(800, cycle)).toBeLessThan(40e6);
    memory.release(block);
  });
});

test.each([
  [undefined, {}],
  [4096n, { has_user_compute_stream: '1', user_compute_stream: '4096' }],
])('cudaSettings disables TF32, and contains the CUDA stream if one is given (stream: %s)', (stream, expected) => {
  expect(cudaSettings({ device: 1, stream }, { cudaGraphs: true })).toEqual({
    device_id: '1',
    use_tf32: '0',
    cudnn_conv_algo_search: 'HEURISTIC',
    arena_extend_strategy: 'kSameAsRequested',
    enable_cuda_graph: '1',
    ...expected,
  });
});
