import { join } from 'node:path';
import { listFolder } from './image-file.ts';
import type { ImageFile } from './image-file.ts';
import type { Place } from './lockfile.ts';

/** What is for people and compilers, not for programs that run. Licences stay. */
const NOT_RUN = /\.(d\.[cm]?ts|[cm]?tsx?|map|md|markdown|flow|coffee)$|(^|\/)(\.[^/]+|tsconfig[^/]*\.json|Makefile)$/i;
const LICENCE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;
/** Folders whose files are for the package's authors, where they are at the top of the package. */
const AUTHORS_FOLDERS = /^(tests?|__tests__|docs?|examples?|benchmarks?|coverage|\.[^/]+)\/$/;

/** Whether a file of an npm package, by its path in it, goes into an image; a folder ends with a slash. */
export function isForImages(name: string, path: string, cpu: 'x64' | 'arm64'): boolean {
  if (path.endsWith('/')) return path !== 'node_modules/' && !AUTHORS_FOLDERS.test(path) && isForCpu(name, path, cpu);
  return LICENCE.test(path) || !NOT_RUN.test(path);
}

/** onnxruntime-node carries the libraries of every system it knows. */
function isForCpu(name: string, folder: string, cpu: string): boolean {
  if (name !== 'onnxruntime-node') return true;
  if (folder === 'script/') return false;
  const [, system, machine] = /^bin\/napi-v\d+\/(?:([a-z0-9]+)\/)?(?:([a-z0-9]+)\/)?$/.exec(folder) ?? [];
  return (system === undefined || system === 'linux') && (machine === undefined || machine === cpu);
}

/** The files of an npm package that is installed here. */
export function npmFiles(root: string, place: Place, cpu: 'x64' | 'arm64'): ImageFile[] {
  return listFolder(join(root, place.path), `app/${place.path}`, (path) => isForImages(place.name, path, cpu));
}
