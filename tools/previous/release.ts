import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from '../checks/command.ts';
import { extractCommit } from './commit.ts';
import { sharePackages } from './packages.ts';

/** Chart and images of another commit. */
export interface Release {
  chart: string;
  tag: string;
  /** Archives of the images. */
  files: readonly string[];
}

/** Images that the chart installs. */
const NAMES = ['svc-asr-operator', 'svc-asr-gateway', 'svc-asr-worker', 'svc-asr-console'];

/** Builds the images of a commit under a tag of their own. */
export async function buildRelease(root: string, commit: string, folder: string): Promise<Release> {
  const source = join(folder, 'source');
  extractCommit(root, commit, source);
  sharePackages(root, source);
  // This command compiles the commit. It also installs the packages if they could not be shared.
  const status = await runCommand(process.execPath, [join(source, 'tools/run.mjs'), 'build']);
  if (status !== 0) throw new Error(`the build of commit ${commit} failed: see the messages above`);
  const tag = `previous-${commit.slice(0, 12)}`;
  const built = await buildWithOwnTools(source, join(folder, 'images'), tag);
  return { chart: join(source, 'charts/svc-asr'), tag, files: built.map(({ file }) => file) };
}

/** Uses the tools of the commit itself, because only they know the files of its images. */
async function buildWithOwnTools(source: string, out: string, version: string) {
  const load = (name: string): Promise<unknown> => import(pathToFileURL(join(source, 'tools/images', name)).href);
  const { buildImages } = (await load('build-all.ts')) as typeof import('../images/build-all.ts');
  const { IMAGES } = (await load('image.ts')) as typeof import('../images/image.ts');
  const images = NAMES.flatMap((name) => IMAGES.find((image) => image.name === name) ?? []);
  return buildImages({ root: source, out, images, redis: false, version });
}

/** Deletes the folder of a release. */
export function removeRelease(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
