import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '../testing/data.ts';
import { readOnnx } from './onnx.ts';

const read = (file: string) => readOnnx(file, readFileSync(join(goldenFolder, file)));

test('readOnnx returns the metadata of an exported model, and the shapes of the tensors that are stored in it', () => {
  const { metadata, tensors } = read('model_ctc.onnx');
  expect(metadata.get('window_size')).toBe('121');
  expect(metadata.get('normalize_type')).toBe('');
  expect(tensors.get('encoder.layers.0.conv.depthwise_conv.weight')).toEqual([64, 1, 9]);
});

test('readOnnx returns type, shape, file and size of a tensor that is stored in another file', () => {
  const { external } = read('gpu/56-3.onnx');
  const place = { type: 1, shape: [400, 514], file: 'weights.bin', bytes: 822_400 };
  expect(external.get('features.transform')).toMatchObject(place);
  expect(read('model_ctc.onnx').external.size).toBe(0);
});

test('readOnnx returns no metadata for a graph that has none', () => {
  expect(read('joiner.onnx').metadata.size).toBe(0);
});

test.each([
  ['text', Buffer.from('this is not a model')],
  ['a truncated file', readFileSync(join(goldenFolder, 'joiner.onnx')).subarray(0, 1000)],
])('readOnnx refuses %s', (_, content) => {
  expect(() => readOnnx('x.onnx', content)).toThrow(
    expect.objectContaining({ code: 'graph_unreadable', message: 'x.onnx: not an ONNX file' }),
  );
});
