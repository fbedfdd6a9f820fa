import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf } from '../../images/files.ts';
import { writeImage } from '../../images/oci.ts';
import { platformOf } from '../../images/platform.ts';
import { runCommand } from '../command.ts';
import { PAUSE_REFERENCE } from './node-files.ts';
import type { NodePlan } from './plan.ts';

const LOAD_TIMEOUT_MS = 600_000;

/**
 * Returns the image archives in a folder that are for the architecture of this machine. Leaves out images for GPUs,
 * which take gigabytes.
 */
export function findArchives(folder: string, architecture: string = process.arch): string[] {
  const suffix = `-${platformOf(architecture).replace('/', '-')}.tar`;
  const names = globSync(`*${suffix}`, { cwd: folder }).filter((name) => !name.endsWith(`-cuda${suffix}`));
  if (names.length === 0) throw new Error(`${folder} has no image archives for this machine; run \`npm run images\``);
  return names.sort().map((name) => join(folder, name));
}

/** Imports image archives in OCI layout into the containerd of each node. */
export async function loadImages(ctr: string, nodes: readonly NodePlan[], files: readonly string[]): Promise<void> {
  const load = async (node: NodePlan) => {
    for (const file of files) {
      const args = ['--address', node.socket, '--namespace', 'k8s.io', 'images', 'import', '--digests=false', file];
      await runCommand(ctr, args, { timeoutMs: LOAD_TIMEOUT_MS });
    }
  };
  await Promise.all(nodes.map(load));
}

/**
 * Builds the image of the pause container, which keeps the namespaces of a pod open. Returns the path of its archive.
 */
export async function buildPauseImage(program: string, out: string): Promise<string> {
  const image = {
    title: 'svc-asr-pause',
    reference: PAUSE_REFERENCE,
    config: { user: '65532:65532', workingDir: '/', entrypoint: ['/pause'], env: [], labels: {} },
    layers: [{ name: 'program', files: [fileOf('pause', program)] }],
  };
  return (await writeImage(image, { out, platform: platformOf(process.arch) })).file;
}
