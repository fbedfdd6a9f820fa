import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchSources, listLayer } from './contents.ts';
import type { Target } from './dockerfile.ts';
import { IMAGES } from './image.ts';
import { writeImage } from './oci.ts';
import type { BuiltImage } from './oci.ts';
import { platformOf } from './platform.ts';
import type { Platform } from './platform.ts';
import { buildRedisImage } from './redis-image.ts';
import { buildSbom } from './sbom.ts';

export interface BuildOptions {
  /** The repository. Its services must be compiled. */
  root: string;
  /** Folder for archives and bills of materials. */
  out: string;
  /** Images to build. All of them by default. */
  images?: readonly Target[];
  /** Whether to build the Redis image of the test cluster too. The default is true. */
  redis?: boolean;
  /** Platform of the images. The default is the platform of this machine. */
  platform?: Platform;
  /** Tag of the images. The default is the version in package.json. */
  version?: string;
}

/** Builds images without a daemon, one after the other. Each image except the Redis image gets a bill of materials. */
export async function buildImages(options: BuildOptions): Promise<BuiltImage[]> {
  const { root, out, images = IMAGES, redis = true, platform = platformOf(process.arch) } = options;
  const { version = readVersion(root) } = options;
  const sources = await fetchSources(
    root,
    platform,
    images.flatMap(({ layers }) => layers),
  );
  const built: BuiltImage[] = [];
  for (const { name, layers, config } of images) {
    const labels = Object.entries(config.labels).map(([key, value]) => [key, value.replace('$VERSION', version)]);
    const image = await writeImage(
      {
        title: name,
        reference: `localhost/${name}:${version}`,
        config: { ...config, labels: Object.fromEntries(labels) as Record<string, string> },
        layers: layers.map((layer) => ({ name: layer, files: listLayer(layer, sources) })),
      },
      { out, platform },
    );
    const sbom = buildSbom(name, version, layers, sources);
    writeFileSync(image.file.replace(/\.tar$/, '.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
    built.push(image);
  }
  if (redis) built.push(await buildRedisImage({ out, platform }));
  return built;
}

function readVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
