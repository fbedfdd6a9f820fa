import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from '../checks/command.ts';
import { extractCommit } from './commit.ts';
import { lendPackages } from './packages.ts';

/** What an installation of another commit is made of. */
export interface Release {
  chart: string;
  tag: string;
  /** Archives of its images. */
  files: readonly string[];
}

/** The chart's. */
const NAMES = ['svc-asr-operator', 'svc-asr-gateway', 'svc-asr-worker', 'svc-asr-console'];

/** Builds the images of a commit with the tools of that commit, under a tag of their own. */
export async function buildRelease(root: string, commit: string, folder: string): Promise<Release> {
  const source = join(folder, 'source');
  extractCommit(root, commit, source);
  lendPackages(root, source);
  // Installs packages where they could not be lent, and compiles.
  const status = await runCommand(process.execPath, [join(source, 'tools/run.mjs'), 'build']);
  if (status !== 0) throw new Error(`the sources of ${commit} cannot be built`);
  const tag = `previous-${commit.slice(0, 12)}`;
  const built = await buildWithOwnTools(source, join(folder, 'images'), tag);
  return { chart: join(source, 'charts/svc-asr'), tag, files: built.map(({ file }) => file) };
}

/** What went into an image of that time only its own list knows. */
async function buildWithOwnTools(source: string, out: string, version: string) {
  const load = (name: string): Promise<unknown> => import(pathToFileURL(join(source, 'tools/images', name)).href);
  const { buildImages } = (await load('build-all.ts')) as typeof import('../images/build-all.ts');
  const { IMAGES } = (await load('image.ts')) as typeof import('../images/image.ts');
  const images = IMAGES.filter(({ name, cuda }) => NAMES.includes(name) && !cuda);
  return buildImages({ root: source, out, images, redis: false, version });
}

/** Removes everything that was built. */
export function removeRelease(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
