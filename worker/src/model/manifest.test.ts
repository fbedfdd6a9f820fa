import { parseManifest, supportsGpuGraphs } from './manifest.ts';

const ref = { file: 'a.onnx', sha256: 'a'.repeat(64) };
const good = {
  format: 1,
  id: 'm',
  language: 'Kikuyu',
  languageCode: 'ki',
  type: 'ctc',
  tokens: ref,
  contexts: [{ context: [56, 13], encoder: ref }],
};

test('parseManifest returns the content of a valid manifest', () => {
  expect(parseManifest(JSON.stringify(good))).toEqual({ ...good, weights: [] });
  const split = { ...good, type: 'transducer', decoder: ref, joiner: ref, promptIndex: 3 };
  expect(parseManifest(JSON.stringify(split))).toEqual({ ...split, weights: [] });
});

test('parseManifest returns the GPU graph of a context, and the weights file that it refers to', () => {
  const gpu = { file: 'gpu/56-13.onnx', sha256: 'b'.repeat(64) };
  const weights = [{ file: 'gpu/weights.bin', sha256: 'c'.repeat(64) }];
  const both = { ...good, contexts: [{ context: [56, 13], encoder: ref, gpu }], weights };
  expect(parseManifest(JSON.stringify(both))).toEqual(both);
});

test('parseManifest returns gpuJoint, the GPU graph for the search of a transducer', () => {
  const contexts = [{ context: [56, 13], encoder: ref, gpu: ref }];
  const transducer = { ...good, type: 'transducer', contexts, decoderJoint: ref, gpuJoint: ref, weights: [ref] };
  expect(parseManifest(JSON.stringify(transducer))).toEqual(transducer);
});

test.each([
  ['a CTC model with a GPU graph', true, 'ctc', ref, undefined],
  ['a CTC model without a GPU graph', false, 'ctc', undefined, undefined],
  ['a transducer with GPU graphs of its encoder and its search', true, 'transducer', ref, ref],
  ['a transducer with a GPU graph of its encoder only', false, 'transducer', ref, undefined],
])('supportsGpuGraphs for %s is %s', (_, expected, type, gpu, gpuJoint) => {
  const contexts = [{ context: [56, 13], encoder: ref, gpu }];
  const parts = type === 'ctc' ? {} : { decoderJoint: ref, gpuJoint };
  expect(supportsGpuGraphs(parseManifest(JSON.stringify({ ...good, type, contexts, ...parts })))).toBe(expected);
});

test.each([
  [{ format: 2 }, 'format must be 1'],
  [{ type: 'hmm' }, 'type must be'],
  [{ language: '' }, 'language must be'],
  [{ contexts: [] }, 'at least one context'],
  [{ contexts: [...good.contexts, ...good.contexts] }, 'names [56,13] twice'],
  [{ contexts: [{ context: [56], encoder: ref }] }, 'contexts[0].context must be [left, right]'],
  [{ contexts: [{ context: [56, -1], encoder: ref }] }, 'contexts[0].context[1]'],
  [{ contexts: [{ context: [56, 13], encoder: ref, gpu: 'x' }] }, 'contexts[0].gpu must be an object'],
  [{ tokens: { ...ref, sha256: 'x' } }, 'tokens.sha256'],
  [{ tokens: { ...ref, file: '../a' } }, 'tokens.file must stay inside'],
  [{ decoderJoint: ref }, 'a ctc model has no'],
  [{ type: 'transducer' }, 'a transducer needs'],
  [{ type: 'transducer', decoder: ref }, 'a transducer needs'],
  [{ gpuJoint: ref }, 'a ctc model has no gpuJoint'],
  [{ type: 'transducer', decoderJoint: ref, gpuJoint: ref }, 'a model with gpuJoint needs gpu in all contexts'],
  [{ promptIndex: 'x' }, 'promptIndex must be'],
])('parseManifest refuses a manifest with %j', (change, message) => {
  const parse = () => parseManifest(JSON.stringify({ ...good, ...change }));
  expect(parse).toThrow(
    expect.objectContaining({ code: 'manifest_invalid', message: expect.stringContaining(message) }),
  );
});

test('parseManifest refuses text that is not JSON', () => {
  expect(() => parseManifest('{')).toThrow('manifest.json is not JSON');
});
