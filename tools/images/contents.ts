import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fetchNode } from '../launch/node.mjs';
import { fetchDebianPackages } from './debian.ts';
import type { DebianPackage } from './debian.ts';
import { fileOf, listFolder } from './files.ts';
import type { ImageFile } from './files.ts';
import { fetchK6 } from './k6.ts';
import type { K6 } from './k6.ts';
import { loadtestFiles } from './loadtest-files.ts';
import { listPackages } from './npm.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';
import { dependencyFiles, programFiles } from './service-files.ts';
import { baseFiles, libraryFiles } from './system-files.ts';

/** Packages with the libraries that Node and onnxruntime load, and with the CA certificates. */
const SYSTEM_PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates'];

/** Workspaces of each service's image. npm adds the workspaces on which they depend. */
const WORKSPACES: Readonly<Record<string, readonly string[]>> = {
  operator: ['operator'],
  gateway: ['gateway'],
  worker: ['worker'],
  console: ['console', 'packages/cli'],
};

/** Everything that layers take files from. */
export interface Sources {
  root: string;
  platform: Platform;
  debian: readonly DebianPackage[];
  /** Folder of Node's npm package. */
  node: string;
  /** Undefined if no layer asks for k6. */
  k6: K6 | undefined;
}

/** Downloads the sources of layers, and builds k6 if a layer needs it. */
export async function fetchSources(root: string, platform: Platform, layers: readonly string[]): Promise<Sources> {
  return {
    root,
    platform,
    debian: fetchDebianPackages(SYSTEM_PACKAGES, platform),
    node: fetchNode('linux', PLATFORMS[platform].node),
    k6: layers.includes('k6') ? await fetchK6(platform) : undefined,
  };
}

/** Lists the files of a layer. The Dockerfile and the build without a daemon both take the files from this function. */
export function listLayer(layer: string, { root, platform, debian, node, k6 }: Sources): ImageFile[] {
  const cpu = PLATFORMS[platform].node;
  const packages = listPackages(root, workspacesOf([layer]), cpu);
  if (layer.endsWith('/dependencies')) return packages.flatMap((entry) => dependencyFiles(root, entry, cpu));
  if (layer.endsWith('/program')) return packages.flatMap((entry) => programFiles(root, entry));
  switch (layer) {
    case 'system':
      return [...baseFiles(debian), ...libraryFiles(debian)];
    case 'node':
      return [
        fileOf('usr/local/bin/node', join(node, 'bin/node')),
        fileOf('usr/share/doc/node/LICENSE', join(node, 'LICENSE')),
      ];
    case 'models':
      return listModels(root).flatMap((name) =>
        listFolder(join(root, 'worker/models', name), `models/${name}/`, (path) => path !== 'eval/'),
      );
    case 'recordings':
      return listModels(root).flatMap((name) =>
        listFolder(join(root, 'worker/models', name, 'eval'), `app/worker/models/${name}/eval/`),
      );
    case 'loadtest':
      return loadtestFiles(root);
    case 'k6':
      if (k6 === undefined) break;
      return [fileOf('usr/local/bin/k6', k6.program), fileOf('usr/share/doc/k6/LICENSE', k6.license)];
  }
  throw new Error(`images/Dockerfile names a layer ${layer}, which tools/images/contents.ts does not define`);
}

/** Returns the workspaces of the services that layers belong to. */
export function workspacesOf(layers: readonly string[]): string[] {
  const services = layers.filter((layer) => layer.includes('/')).map((layer) => layer.slice(0, layer.indexOf('/')));
  return [...new Set(services)].flatMap((service) => WORKSPACES[service] ?? []);
}

function listModels(root: string): string[] {
  const entries = readdirSync(join(root, 'worker/models'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
