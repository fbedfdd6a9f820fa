import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readIfPresent } from '../start/files.ts';
import type { ImageFile } from './image-file.ts';
import type { PackedLayer } from './layer.ts';
import { blobPath, buildConfig, buildIndex, buildManifest } from './oci.ts';
import type { ImageConfig } from './oci.ts';
import type { Platform } from './platform.ts';
import { tarPieces } from './tar.ts';

/** An image to be written. */
export interface ImageArchive {
  /** The name under which a container runtime will know it. */
  reference: string;
  platform: Platform;
  config: ImageConfig;
  layers: readonly PackedLayer[];
}

/** Writes an image as one file in the OCI layout, which container runtimes import and registries' tools push. */
export async function writeArchive(image: ImageArchive, file: string): Promise<{ digest: string }> {
  const config = buildConfig(image.config, image.platform, image.layers);
  const manifest = buildManifest(config, image.layers);
  const text = (path: string, content: string): ImageFile => ({ path, mode: 0o644, from: { text: content } });
  const files: ImageFile[] = [
    text('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    text('index.json', buildIndex(manifest, image.platform, image.reference)),
    text(blobPath(manifest.digest), manifest.text),
    text(blobPath(config.digest), config.text),
    ...image.layers.map(({ digest, file: from }) => ({ path: blobPath(digest), mode: 0o644, from: { file: from } })),
  ];
  // The archive is the same for the same image under the same name.
  const stamp = `${file}.digest`;
  const content = `${manifest.digest} ${image.reference}\n`;
  if (!existsSync(file) || readIfPresent(stamp) !== content) {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(stamp, { force: true });
    const draft = `${file}.${process.pid}.draft`;
    await pipeline(Readable.from(tarPieces(files)), createWriteStream(draft));
    renameSync(draft, file);
    writeFileSync(stamp, content);
  }
  return { digest: manifest.digest };
}
