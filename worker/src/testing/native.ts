import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { createHostMemory } from '../native/memory.ts';
import { NativeRuntime } from '../native/runtime.ts';
import type { SessionOptions } from '../native/session.ts';
import { writeOnnx } from './onnx-writer.ts';
import type { OnnxGraph } from './onnx-writer.ts';

/** ONNX Runtime and host memory in place of device memory. All tests of a file share both. */
export const runtime = await NativeRuntime.open();
export const memory = createHostMemory(runtime.koffi);
export const SESSION_OPTIONS: SessionOptions = { threads: 1, cudaGraphs: false, initializers: new Map() };

/** Writes a graph to a temporary folder and returns its path. */
export function saveGraph(graph: OnnxGraph): string {
  const path = join(temporaryFolder('native'), 'graph.onnx');
  writeFileSync(path, writeOnnx(graph));
  return path;
}
