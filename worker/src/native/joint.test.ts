import { TEST_SIZES, buildTestGraph, buildTestJoint } from '../testing/gpu-graph.ts';
import { memory, runtime, saveGraph, SESSION_OPTIONS } from '../testing/native.ts';
import { DeviceArenas } from './arenas.ts';
import type { DeviceBatch } from './batch.ts';
import { DeviceGraph, openGraph } from './graph.ts';
import type { JointBatch } from './joint-batch.ts';
import { DeviceJoint, openJoint } from './joint.ts';
import { PredictorStates, predictorBytes } from './predictor.ts';

/** Opens an encoder and a joint graph, fills their state with NaN, and acquires a batch of two rows. */
function createSearch(): { batch: DeviceBatch; search: JointBatch; graph: DeviceGraph; close: () => void } {
  const encoder = openGraph(runtime, memory, saveGraph(buildTestGraph('transducer')), 'gpu/4-1.onnx', SESSION_OPTIONS);
  const arenas = new DeviceArenas(runtime, memory, encoder.shape.state, { frames: 24, slots: 6, pageFrames: 2 });
  arenas.poison();
  const graph = new DeviceGraph(runtime, memory, encoder, arenas, [1, 2], false);
  const opened = openJoint(runtime, memory, saveGraph(buildTestJoint()), 'gpu/joint.onnx', SESSION_OPTIONS);
  const states = new PredictorStates(runtime, memory, opened.shape, 5);
  states.poison();
  const joint = new DeviceJoint(runtime, memory, opened, states, false);
  joint.attach(graph);
  graph.warmUp();
  joint.warmUp();
  const batch = graph.acquire(2);
  if (batch === undefined) throw new Error('no batch is idle');
  const close = () => {
    graph.release();
    joint.release();
    arenas.release();
    states.release();
  };
  return { batch, search: joint.searchOf(batch), graph, close };
}

function fillRows({ inputs }: DeviceBatch): void {
  for (const row of [0, 1]) {
    inputs.pcm.fill(row + 1, row * TEST_SIZES.samples, row * TEST_SIZES.samples + 8);
    inputs.bounds.set([0, 8, 0, 25], row * 4);
    inputs.past.fill(0, row * 2, row * 2 + 2);
    inputs.page[row] = 4 + row * 2;
    inputs.tailFrom[row] = 0;
    inputs.tailTo[row] = 2 + row;
    inputs.filled[row] = 0;
  }
}

function startSearch({ inputs }: JointBatch): void {
  inputs.frames.set([2, 1]);
  inputs.token.set([9, 3]);
  inputs.at.fill(0);
  inputs.symbols.fill(0);
  inputs.stateFrom.set([0, 0]);
  inputs.stateTo.set([2, 3]);
}

describe('DeviceJoint', () => {
  test('searches the encoded frames of a batch on the device until every row is done', () => {
    const { batch, search, close } = createSearch();
    fillRows(batch);
    batch.submit(2);
    startSearch(search);
    search.inputs.token.set([2, 3]);
    search.submit(2);
    // Each row has 8 encoded values. The values are 1 in the first row and 2 in the second row. The states are zero.
    const first = search.collect();
    expect([...first.tokens]).toEqual([3, 4]);
    expect([...first.places]).toEqual([0, 0]);
    expect([...first.scores]).toEqual([8, 16]);
    expect(search.advance(2)).toBe(true);
    search.submit(2);
    const second = search.collect();
    expect([...second.tokens]).toEqual([4, 5]);
    expect([...second.places]).toEqual([1, 1]);
    // Each run adds 1 to the four values of a state.
    expect([...second.scores]).toEqual([12, 20]);
    expect(search.advance(2)).toBe(false);
    expect(batch.collect().ids).toHaveLength(0);
    close();
  });

  test('does not let padding rows change the state of streams', () => {
    const { batch, search, close } = createSearch();
    fillRows(batch);
    batch.submit(2);
    for (let i = 0; i < 3; i++) {
      startSearch(search);
      search.inputs.stateFrom[0] = i === 0 ? 0 : 2;
      search.submit(1);
      expect(search.collect().scores[0]).toBe(8 + 4 * i);
    }
    close();
  });

  test('limits the encoder graph to one batch of each size, because a batch keeps its encoded frames during the search', () => {
    const { graph, batch, close } = createSearch();
    expect(graph.acquire(2)).toBeUndefined();
    batch.abandon();
    expect(graph.acquire(2)).toBe(batch);
    close();
  });

  test.each<[keyof JointBatch['inputs'], number, RegExp]>([
    ['frames', 3, /row 1 of the search: frames 3 is not between 0 and 2/],
    ['frames', -1, /frames -1/],
    ['token', 10, /token 10 is not between 0 and 9/],
    ['token', -1, /token -1/],
    ['at', 3, /at 3 is not between 0 and 2/],
    ['symbols', 11, /symbols 11 is not between 0 and 10/],
    ['stateTo', 0, /state_to 0 is not between 2 and 4/],
    ['stateTo', 5, /state_to 5/],
    ['stateTo', 2, /state_to 2 is that of row 0 too/],
    ['stateFrom', 1, /state_from 1 is not between 2 and 4/],
    ['stateFrom', 5, /state_from 5/],
    ['stateFrom', 2, /state_from 2 is the slot that row 0 writes/],
  ])('rejects the input %s = %d, and can be used again afterwards', (field, value, message) => {
    const { search, close } = createSearch();
    startSearch(search);
    search.inputs[field][1] = value;
    expect(() => search.submit(2)).toThrow(
      expect.objectContaining({ code: 'index_invalid', message: expect.stringMatching(message) }),
    );
    startSearch(search);
    expect(() => search.submit(2)).not.toThrow();
    search.collect();
    close();
  });

  test.each<[keyof JointBatch['inputs'], number]>([
    ['frames', 0],
    ['token', 9],
    ['at', 2],
    ['symbols', 10],
    ['stateTo', 1],
    ['stateTo', 4],
    ['stateFrom', 3],
    ['stateFrom', 4],
  ])('accepts the input %s = %d', (field, value) => {
    const { search, close } = createSearch();
    startSearch(search);
    search.inputs[field][1] = value;
    expect(() => search.submit(2)).not.toThrow();
    search.collect();
    close();
  });
});

describe('openJoint', () => {
  test('reads the sizes of the graph from its metadata', () => {
    const { session, shape } = openJoint(
      runtime,
      memory,
      saveGraph(buildTestJoint()),
      'gpu/joint.onnx',
      SESSION_OPTIONS,
    );
    expect(shape).toEqual({
      steps: 1,
      alternatives: 0,
      classes: 10,
      blank: 9,
      encodedWidth: 4,
      hidden: 4,
      predictorLayers: 1,
      row: 2,
      maxSymbols: 10,
      precision: 'float32',
    });
    expect(predictorBytes(shape)).toBe(2 * 4 * 4);
    session.release();
  });

  test.each([
    ['type', 'ctc', /type is "ctc", expected joint/],
    ['encoded', '5', /the width of encoded frames is 5 by its metadata but 4 by its graph/],
    ['steps', '2', /dimension 1 of tokens is 2 by its metadata but 1 by its graph/],
    ['predictor_layers', '2', /no input "hidden_1"/],
  ])('refuses a graph whose metadata has %s = %s', (key, value, message) => {
    const graph = buildTestJoint();
    const path = saveGraph({ ...graph, metadata: { ...graph.metadata, [key]: value } });
    expect(() => openJoint(runtime, memory, path, 'gpu/joint.onnx', SESSION_OPTIONS)).toThrow(message);
  });
});
