import { join } from 'node:path';
import type { CudaWheel } from './cuda.ts';
import { cudaFiles } from './cuda.ts';
import type { DebianPackage } from './debian.ts';
import { listFolder } from './image-file.ts';
import type { Layer } from './image-file.ts';
import type { ServiceImage } from './image.ts';
import { k6Files } from './k6.ts';
import type { K6 } from './k6.ts';
import { loadtestFiles, recordingFiles } from './loadtest-files.ts';
import { resolvePackages } from './lockfile.ts';
import type { Lockfile, Place } from './lockfile.ts';
import { nodeFiles } from './node-binary.ts';
import { npmFiles } from './npm-files.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';
import { programFiles } from './program-files.ts';
import { baseFiles, libraryFiles } from './system-files.ts';

/** Where what goes into images comes from. */
export interface Sources {
  root: string;
  lockfile: Lockfile;
  debian: readonly DebianPackage[];
  /** The folder of Node's npm package for the platform. */
  node: string;
  /** Empty for images that compute on CPUs. */
  cuda: readonly CudaWheel[];
  /** Only for the image of the load tests. */
  k6: K6 | undefined;
}

/** Everything that an image is made of. */
export interface Contents {
  /** The ones that change least come first: whoever has them need not fetch them again. */
  layers: readonly Layer[];
  npm: readonly Place[];
  debian: readonly DebianPackage[];
  cuda: readonly CudaWheel[];
  k6: K6 | undefined;
}

/** The list of what goes into an image, which its daemon-less build, its Dockerfile and its bill of materials share. */
export function listContents(image: ServiceImage, platform: Platform, sources: Sources): Contents {
  const { root, debian, cuda, k6 } = sources;
  const cpu = PLATFORMS[platform].node;
  const places = resolvePackages(sources.lockfile, image.workspaces, cpu);
  const bought = places.filter(({ isWorkspace }) => !isWorkspace);
  const own = places.filter(({ isWorkspace }) => isWorkspace);
  const provider = image.cuda ? cudaFiles(cuda) : [];
  const provided = new Set(provider.map(({ path }) => path));
  const layers: Layer[] = [
    { name: 'system', files: [...baseFiles(debian), ...libraryFiles(debian)] },
    { name: 'node', files: nodeFiles(sources.node) },
    {
      name: 'dependencies',
      files: bought.flatMap((place) => npmFiles(root, place, cpu)).filter(({ path }) => !provided.has(path)),
    },
    { name: 'cuda', files: provider },
    { name: 'models', files: image.models ? modelFiles(root) : [] },
    { name: 'k6', files: k6 === undefined ? [] : k6Files(k6) },
    { name: 'recordings', files: image.loadtests ? recordingFiles(root) : [] },
    {
      name: 'program',
      files: image.loadtests ? loadtestFiles(root) : own.flatMap((place) => programFiles(root, place)),
    },
  ];
  return { layers: layers.filter(({ files }) => files.length > 0), npm: places, debian, cuda, k6 };
}

/** The demo models, without the recordings that they are judged by. */
function modelFiles(root: string): Layer['files'] {
  return listFolder(join(root, 'worker/models'), 'models', (path) => !path.endsWith('/eval/') && path !== 'README.md');
}
