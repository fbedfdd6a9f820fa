import { isCudaLibrary } from './cuda.ts';
import { isForImages } from './npm-files.ts';
import { isProgram } from './program-files.ts';

test.each([
  ['ws', 'lib/receiver.js', true],
  ['ws', 'package.json', true],
  ['ws', 'LICENSE', true],
  ['ws', 'LICENSE.md', true],
  ['ws', 'README.md', false],
  ['yaml', 'dist/index.d.ts', false],
  ['yaml', 'dist/index.js.map', false],
  ['yaml', 'dist/doc/', true],
  ['redis', 'test/', false],
  ['redis', 'node_modules/', false],
  ['redis', '.eslintrc', false],
  ['onnxruntime-node', 'script/', false],
  ['onnxruntime-node', 'bin/', true],
  ['onnxruntime-node', 'bin/napi-v6/', true],
  ['onnxruntime-node', 'bin/napi-v6/linux/', true],
  ['onnxruntime-node', 'bin/napi-v6/win32/', false],
  ['onnxruntime-node', 'bin/napi-v6/darwin/', false],
  ['onnxruntime-node', 'bin/napi-v6/linux/x64/', true],
  ['onnxruntime-node', 'bin/napi-v6/linux/arm64/', false],
])('of %s, %s goes into an image for x64: %s', (name, path, expected) => {
  expect(isForImages(name, path, 'x64')).toBe(expected);
});

test('sources of the program are told from those of tests', () => {
  expect(isProgram('run.ts')).toBe(true);
  expect(isProgram('engine/thread.ts')).toBe(true);
  expect(isProgram('engine/lane.test.ts')).toBe(false);
  expect(isProgram('testing/data.ts')).toBe(false);
  expect(isProgram('workers/testing/stage.ts')).toBe(false);
});

test.each([
  ['onnxruntime/capi/libonnxruntime_providers_cuda.so', true],
  ['onnxruntime/capi/libonnxruntime_providers_shared.so', true],
  ['onnxruntime/capi/libonnxruntime.so.1.30.0', true],
  ['onnxruntime/capi/libonnxruntime_providers_tensorrt.so', false],
  ['onnxruntime/capi/onnxruntime_pybind11_state.cpython-312-x86_64-linux-gnu.so', false],
  ['nvidia/cu13/lib/libcublas.so.13', true],
  ['nvidia/cudnn/lib/libcudnn.so.9', true],
  ['nvidia/cu13/lib/libnvrtc.alt.so.13', false],
  ['nvidia/cu13/include/cublas.h', false],
])('of the CUDA wheels, %s goes into the image: %s', (path, expected) => {
  expect(isCudaLibrary(path)).toBe(expected);
});
