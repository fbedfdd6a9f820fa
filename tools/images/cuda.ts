import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { InstallError } from '../install/install-error.ts';
import { cacheFolder } from '../launch/node.mjs';
import { say } from '../launch/terminal.mjs';
import { listFolder } from './image-file.ts';
import type { ImageFile } from './image-file.ts';

/**
 * Python wheels with what onnxruntime needs for CUDA. Its npm package would get the provider with an install script from
 * a registry of its own; the wheel holds the same release, and the runtime that the provider was built with.
 */
export const CUDA_WHEELS: Readonly<Record<string, string>> = {
  'onnxruntime-gpu': '1.30.0',
  'nvidia-cuda-runtime': '13.0.96',
  'nvidia-cuda-nvrtc': '13.0.88',
  'nvidia-cublas': '13.1.0.3',
  'nvidia-cufft': '12.0.0.61',
  'nvidia-curand': '10.4.0.35',
  'nvidia-cudnn-cu13': '9.13.0.50',
};

/** The only platform that onnxruntime has a CUDA provider for. */
export const CUDA_PLATFORM = 'linux/amd64';
const PIP_PLATFORMS = ['manylinux_2_28_x86_64', 'manylinux_2_27_x86_64', 'manylinux2014_x86_64'];
const RUNTIME = 'app/node_modules/onnxruntime-node/bin/napi-v6/linux/x64';
/** In the loader's own folder, so that no variable has to name it. */
const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

/** A wheel that was unpacked. */
export interface CudaWheel {
  name: string;
  version: string;
  folder: string;
}

/** Gets and unpacks the wheels of the CUDA image: 2 GB. */
export function fetchCudaWheels(): CudaWheel[] {
  return Object.entries(CUDA_WHEELS).map(([name, version]) => {
    const folder = join(cacheFolder(), `wheel-${name}-${version}`);
    if (!existsSync(folder)) download(`${name}==${version}`, folder);
    return { name, version, folder };
  });
}

/** The libraries of the wheels. */
export function cudaFiles(wheels: readonly CudaWheel[]): ImageFile[] {
  return wheels.flatMap(({ name, folder }) => [
    ...listFolder(folder, '', (path) => path.endsWith('/') || isCudaLibrary(path)).flatMap((file) => place(file)),
    ...listFolder(folder, '', (path) => path.endsWith('/') || /dist-info\/.*licen[cs]e[^/]*$/i.test(path))
      .slice(0, 1)
      .map((file) => ({ ...file, path: `usr/share/doc/${name}/copyright` })),
  ]);
}

/** Libraries that inference loads; not Python's own, nor TensorRT, nor stubs to link against. */
export function isCudaLibrary(path: string): boolean {
  if (!/\.so(\.\d+)*$/.test(path) || /tensorrt|pybind11|cpython|\.alt\.|\/stubs\//.test(path)) return false;
  return path.startsWith('nvidia/') || path.startsWith('onnxruntime/capi/');
}

/** Where a library lies in the image. */
function place(file: ImageFile): ImageFile[] {
  const name = basename(file.path);
  if (!name.startsWith('libonnxruntime')) return [{ ...file, path: `${LIBRARIES}/${name}`, mode: 0o644 }];
  // Core and provider of one build: the core takes the place of the npm package's own.
  const isCore = name.startsWith('libonnxruntime.so');
  return [{ ...file, path: `${RUNTIME}/${isCore ? 'libonnxruntime.so.1' : name}`, mode: 0o644 }];
}

function download(wanted: string, target: string): void {
  say(`getting ${wanted} from the Python package index`);
  mkdirSync(cacheFolder(), { recursive: true });
  const draft = mkdtempSync(join(cacheFolder(), 'wheel-draft-'));
  try {
    const platforms = PIP_PLATFORMS.flatMap((platform) => ['--platform', platform]);
    const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--python-version=3.12'];
    python([...args, ...platforms, '--dest', join(draft, 'wheel'), wanted]);
    const [wheel = ''] = readdirSync(join(draft, 'wheel'));
    python(['-m', 'zipfile', '-e', join(draft, 'wheel', wheel), join(draft, 'unpacked')]);
    renameSync(join(draft, 'unpacked'), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function python(args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('python3', args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new InstallError(`the CUDA image needs python3 with pip, and it failed: ${error?.message ?? stderr.trim()}`);
}
