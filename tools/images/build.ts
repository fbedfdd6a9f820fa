import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../launch/node.mjs';
import { writeArchive } from './archive.ts';
import { listContents } from './contents.ts';
import type { Layer } from './image-file.ts';
import { buildImageConfig } from './image-config.ts';
import { titleOf } from './image.ts';
import type { ServiceImage } from './image.ts';
import { packLayer } from './layer.ts';
import type { PackedLayer } from './layer.ts';
import type { ImageConfig } from './oci.ts';
import type { Platform } from './platform.ts';
import { buildSbom } from './sbom.ts';
import { fetchSources } from './sources.ts';

/** An image that was built. */
export interface BuiltImage {
  title: string;
  /** Under which a container runtime that imports it knows it. */
  reference: string;
  platform: Platform;
  /** The archive in OCI layout. */
  file: string;
  digest: string;
  layers: readonly PackedLayer[];
}

export interface BuildOptions {
  root: string;
  /** Where archives and bills of materials go. */
  out: string;
  platform: Platform;
  /** The tag, and what programs call themselves. */
  version: string;
}

/** Images that no registry has given are known under this one. */
const REGISTRY = 'localhost';

/** Builds the image of a service and its bill of materials, without any daemon. */
export async function buildServiceImage(image: ServiceImage, options: BuildOptions): Promise<BuiltImage> {
  const { root, platform, version } = options;
  const contents = listContents(image, platform, await fetchSources(root, platform, image));
  const title = titleOf(image);
  const built = await writeImage(
    {
      title,
      reference: `${REGISTRY}/${image.name}:${version}${image.tagSuffix}`,
      config: buildImageConfig(image, version),
      layers: contents.layers,
    },
    options,
  );
  const sbom = buildSbom(title, version, platform, contents);
  writeFileSync(built.file.replace(/\.tar$/, '.spdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  return built;
}

/** Writes an image from its layers. */
export async function writeImage(
  image: { title: string; reference: string; config: ImageConfig; layers: readonly Layer[] },
  options: Pick<BuildOptions, 'out' | 'platform'> & { cache?: string },
): Promise<BuiltImage> {
  const { out, platform, cache = join(cacheFolder(), 'image-layers') } = options;
  mkdirSync(out, { recursive: true });
  const layers: PackedLayer[] = [];
  for (const layer of image.layers) layers.push(await packLayer(layer, cache));
  const { title, reference, config } = image;
  const file = join(out, `${title}-${platform.replace('/', '-')}.tar`);
  const { digest } = await writeArchive({ reference, platform, config, layers }, file);
  return { title, reference, platform, file, digest, layers };
}
