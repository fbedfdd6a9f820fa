import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileOf, listFolder } from './image-file.ts';
import type { ImageFile } from './image-file.ts';
import type { Place } from './lockfile.ts';

/** What a workspace needs at run time beside its compiled sources. */
const BESIDE_DIST: Readonly<Record<string, readonly string[]>> = {
  'packages/ledger': ['scripts'],
  'packages/cli': ['bin'],
  console: ['page'],
};

/** Workspaces of which an image carries only the files that the build renders into this folder. */
const RENDERED: Readonly<Record<string, string>> = { 'packages/api-docs': 'dist/public' };

/** By which people call a command in a pod. There is no env in an image that could look for Node. */
const COMMANDS: Readonly<Record<string, readonly ImageFile[]>> = {
  'packages/cli': [
    {
      path: 'usr/local/bin/svc-asr',
      mode: 0o755,
      from: { text: "#!/usr/local/bin/node\nimport('/app/packages/cli/bin/svc-asr.js');\n" },
    },
  ],
};

/** Sources that exist for tests alone. */
const FOR_TESTS = /\.test\.ts$|(^|\/)testing\//;

/** Whether a source belongs to the program: its path is relative to `src`. */
export function isProgram(path: string): boolean {
  return path.endsWith('.ts') && !path.endsWith('.d.ts') && !FOR_TESTS.test(path);
}

/** The built files of a workspace, and the link by which others import it. */
export function programFiles(root: string, place: Place): ImageFile[] {
  const folder = join(root, place.path);
  const at = `app/${place.path}`;
  const rendered = RENDERED[place.path];
  return [
    fileOf(`${at}/package.json`, join(folder, 'package.json')),
    ...(rendered === undefined ? compiledFiles(folder, at) : listFolder(join(folder, rendered), `${at}/${rendered}`)),
    ...(BESIDE_DIST[place.path] ?? []).flatMap((name) => listFolder(join(folder, name), `${at}/${name}`)),
    ...(COMMANDS[place.path] ?? []),
    { path: `app/node_modules/${place.name}`, mode: 0o777, from: { link: `../../${place.path}` } },
  ];
}

/** By their sources, so that what an earlier build left in `dist` stays out. */
function compiledFiles(folder: string, at: string): ImageFile[] {
  const sources = join(folder, 'src');
  return readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(sources, join(entry.parentPath, entry.name)))
    .filter(isProgram)
    .sort()
    .map((source) => {
      const compiled = `dist/${source.replace(/\.ts$/, '.js')}`;
      const file = join(folder, compiled);
      if (!existsSync(file)) throw new Error(`${file} is missing: "npm run build" makes it`);
      return fileOf(`${at}/${compiled}`, file);
    });
}
