import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildServiceImage } from './build.ts';
import type { BuiltImage } from './build.ts';
import { IMAGES } from './image.ts';
import type { ServiceImage } from './image.ts';
import { platformOf } from './platform.ts';
import type { Platform } from './platform.ts';
import { buildRedisImage } from './redis-image.ts';

/** What to build, and where to put it. */
export interface BuildAllOptions {
  root: string;
  out: string;
  /** All services without CUDA unless told. */
  images?: readonly ServiceImage[];
  /** Whether the image of Redis for the test cluster is built too; it is unless told. */
  redis?: boolean;
  platform?: Platform;
  /** The tag; the version of the repository unless told. */
  version?: string;
}

/** Builds images one after the other, the services' first. The repository has to be built already. */
export async function buildImages(options: BuildAllOptions): Promise<BuiltImage[]> {
  const { root, out, images = IMAGES.filter(({ cuda }) => !cuda), redis = true } = options;
  const platform = options.platform ?? platformOf(process.arch);
  const version = options.version ?? readVersion(root);
  const built: BuiltImage[] = [];
  for (const image of images) built.push(await buildServiceImage(image, { root, out, platform, version }));
  if (redis) built.push(await buildRedisImage({ out, platform }));
  return built;
}

function readVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
