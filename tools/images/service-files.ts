import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf, linkOf, listFolder, textOf } from './files.ts';
import type { ImageFile } from './files.ts';
import { folderOf } from './npm.ts';
import type { Cpu, NpmPackage } from './npm.ts';

/** Files that are not needed at run time. License files are included even if they match this pattern. */
const NOT_RUN =
  /\.(d\.[cm]?ts|[cm]?tsx?|map|md|markdown|flow|coffee|cc?|hh?|inc|def|asm|s)$|(^|\/)(\.[^/]+|tsconfig[^/]*\.json|Makefile)$/i;
const LICENSE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;
/**
 * Folders of a package that are not needed at run time, such as tests and documents. `node_modules` is one of them,
 * because `npm query` lists nested packages separately.
 */
const NOT_RUN_FOLDERS = /^(tests?|__tests__|docs?|examples?|benchmarks?|coverage|node_modules|\.[^/]+)\/$/;

/**
 * Folders of koffi that only its compilation needs. The compiled library is in a separate package for each platform.
 */
const KOFFI_SOURCES = /^(lib|vendor|src\/koffi\/src\/abi)\/$/;

/** Folders that a workspace needs at run time in addition to `dist`. */
const RUN_TIME_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'packages/ledger': ['scripts'],
  'packages/cli': ['bin'],
  console: ['web/dist'],
};

/**
 * Workspaces of which an image contains only the files that the build renders. The value is the folder of these files.
 */
const RENDERED: Readonly<Record<string, string>> = { 'packages/api-docs': 'dist/public' };

/** Lists the installed files of an npm package that a service may load. Workspaces have none. */
export function dependencyFiles(root: string, entry: NpmPackage, cpu: Cpu): ImageFile[] {
  if (entry.isWorkspace) return [];
  return listFolder(folderOf(root, entry), `app/${entry.path}/`, (path) => isLoaded(entry.name, path, cpu));
}

/** Returns whether a path in an npm package belongs in an image. The path of a folder ends with a slash. */
export function isLoaded(name: string, path: string, cpu: Cpu): boolean {
  if (!path.endsWith('/')) return LICENSE.test(path) || !NOT_RUN.test(path);
  if (NOT_RUN_FOLDERS.test(path)) return false;
  if (name === 'koffi') return !KOFFI_SOURCES.test(path);
  // These packages contain one build for glibc and one for musl. The images have glibc.
  if (name.startsWith('@koromix/koffi-')) return !path.startsWith('musl');
  if (name !== 'onnxruntime-node') return true;
  // onnxruntime-node contains the libraries of all its platforms, and an install script. An image needs only the
  // libraries of its own platform.
  const [, system = 'linux', machine = cpu] = /^bin\/napi-v\d+\/(?:(\w+)\/)?(?:(\w+)\/)?$/.exec(path) ?? [];
  return path !== 'script/' && system === 'linux' && machine === cpu;
}

/** Lists the files that a workspace needs at run time, and the link by which other packages import it. */
export function programFiles(root: string, { name, path, isWorkspace }: NpmPackage): ImageFile[] {
  if (!isWorkspace) return [];
  const [folder, at] = [join(root, path), `app/${path}`];
  const rendered = RENDERED[path];
  return [
    fileOf(`${at}/package.json`, join(folder, 'package.json')),
    ...(rendered === undefined
      ? compiledFiles(folder, `${at}/dist/`)
      : listFolder(join(folder, rendered), `${at}/${rendered}/`)),
    ...(RUN_TIME_FOLDERS[path] ?? []).flatMap((part) => listFolder(join(folder, part), `${at}/${part}/`)),
    ...(path === 'packages/cli' ? [COMMAND] : []),
    linkOf(`app/node_modules/${name}`, `../../${path}`),
  ];
}

/** The svc-asr command. Its first line has the path of Node, because the image has no `env` that could find Node. */
const COMMAND = textOf(
  'usr/local/bin/svc-asr',
  "#!/usr/local/bin/node\nimport('/app/packages/cli/bin/svc-asr.js');\n",
  0o755,
);

/** Lists compiled files by their sources, so that files of earlier builds in `dist` stay out. */
function compiledFiles(folder: string, at: string): ImageFile[] {
  return listFolder(join(folder, 'src'), '', isProgram).map((source) => {
    const name = source.path.replace(/\.ts$/, '.js');
    const file = join(folder, 'dist', name);
    if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build"`);
    return fileOf(`${at}${name}`, file);
  });
}

/**
 * Returns whether a path of the sources belongs to the program and not to its tests. The path of a folder ends with a
 * slash.
 */
export function isProgram(path: string): boolean {
  if (path.endsWith('/')) return !path.endsWith('testing/');
  return path.endsWith('.ts') && !/\.(d|test)\.ts$/.test(path);
}
