import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { CudaError, NativeError, errorOf } from './error.ts';
import { loadLibrary, locateLibrary, openLibrary } from './library.ts';

test('locateLibrary returns a file of onnxruntime-node and its version', () => {
  const { file, version } = locateLibrary();
  expect(existsSync(file)).toBe(true);
  expect(file).toContain('node_modules/onnxruntime-node/');
  expect(version).toMatch(/^1\.\d+\.\d+$/);
});

test('openLibrary returns the same library each time', async () => {
  const library = await openLibrary();
  expect(library.version).toBe(locateLibrary().version);
  expect(await openLibrary()).toBe(library);
});

describe('loadLibrary', () => {
  test('throws an error with the name of a file that is missing', async () => {
    await expect(loadLibrary({ file: '/missing/libonnxruntime.so.1', version: '1.30.0' })).rejects.toMatchObject({
      name: 'NativeError',
      code: 'library_missing',
      message: expect.stringContaining('/missing/libonnxruntime.so.1'),
    });
  });

  test('throws library_missing for a file that is not a library', async () => {
    const file = join(temporaryFolder('native'), 'libonnxruntime.so.1');
    writeFileSync(file, 'text');
    await expect(loadLibrary({ file, version: '1.30.0' })).rejects.toMatchObject({ code: 'library_missing' });
  });

  test('refuses a library whose version differs from that of onnxruntime-node', async () => {
    const { file } = locateLibrary();
    await expect(loadLibrary({ file, version: '1.9.0' })).rejects.toMatchObject({
      code: 'version_mismatch',
      message: expect.stringMatching(/is ONNX Runtime 1\.\d+\.\d+, expected 1\.9\.0/),
    });
  });
});

test.each([
  ['CUDA failure 700: an illegal memory access was encountered', CudaError],
  ['CUBLAS failure 14: CUBLAS_STATUS_INTERNAL_ERROR', CudaError],
  ['CUDNN failure 5000: CUDNN_STATUS_EXECUTION_FAILED', CudaError],
  ['CUDNN_FE failure 7: GRAPH_EXECUTION_FAILED', CudaError],
  ['Invalid input name: CUDA', NativeError],
])(
  'errorOf returns a CudaError for a failure of CUDA or its libraries, and a NativeError otherwise: "%s"',
  (message, type) => {
    const error = errorOf('RunWithBinding', message);
    expect(error).toBeInstanceOf(type);
    expect(error.message).toBe(`RunWithBinding: ${message}`);
  },
);
