import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { cacheFolder } from '../launch/node.mjs';
import { writeAtomically } from '../start/files.ts';
import { textOf } from './files.ts';
import type { ImageFile } from './files.ts';
import type { Platform } from './platform.ts';
import { packTar } from './tar.ts';

/** Run configuration of the containers of an image. */
export interface ImageConfig {
  user: string;
  workingDir: string;
  entrypoint: readonly string[];
  /** Variables as NAME=VALUE. */
  env: readonly string[];
  labels: Readonly<Record<string, string>>;
}

/** Part of an image that registries store and nodes fetch separately. */
export interface Layer {
  name: string;
  files: readonly ImageFile[];
}

export interface ImageSource {
  title: string;
  /** Name and tag by which a container runtime knows the imported image. */
  reference: string;
  config: ImageConfig;
  layers: readonly Layer[];
}

/** An image that was built. */
export interface BuiltImage {
  title: string;
  reference: string;
  platform: Platform;
  /** Archive in OCI layout. */
  file: string;
  digest: string;
  /** Compressed size of the layers. */
  bytes: number;
}

interface Blob {
  mediaType: string;
  digest: string;
  size: number;
}

const TYPE = 'application/vnd.oci.image';
const CREATED = '1970-01-01T00:00:00Z';

/** Writes an image as one tar file in OCI layout, which `ctr images import` and `skopeo copy` read. */
export async function writeImage(
  { title, reference, config, layers }: ImageSource,
  { out, platform, cache = join(cacheFolder(), 'image-layers') }: { out: string; platform: Platform; cache?: string },
): Promise<BuiltImage> {
  const packed = [];
  for (const layer of layers) packed.push(await packLayer(layer, cache));
  const [os, architecture] = platform.split('/');
  const configFile = jsonBlob(`${TYPE}.config.v1+json`, {
    created: CREATED,
    architecture,
    os,
    config: {
      User: config.user,
      WorkingDir: config.workingDir,
      Entrypoint: config.entrypoint,
      Env: config.env,
      Labels: config.labels,
    },
    rootfs: { type: 'layers', diff_ids: packed.map(({ diffId }) => diffId) },
    history: layers.map(({ name }) => ({ created: CREATED, created_by: name })),
  });
  const manifest = jsonBlob(`${TYPE}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${TYPE}.manifest.v1+json`,
    config: configFile.blob,
    layers: packed.map(({ blob }) => blob),
  });
  // containerd takes the name of the image from the first annotation. OCI defines the second annotation, which contains
  // only the tag.
  const annotations = {
    'io.containerd.image.name': reference,
    'org.opencontainers.image.ref.name': reference.slice(reference.lastIndexOf(':') + 1),
  };
  const index = {
    schemaVersion: 2,
    mediaType: `${TYPE}.index.v1+json`,
    manifests: [{ ...manifest.blob, platform: { architecture, os }, annotations }],
  };
  const archive = await packTar([
    textOf('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    textOf('index.json', JSON.stringify(index)),
    ...[manifest, configFile].map(({ blob, text }) => textOf(blobPath(blob), text)),
    ...packed.map(({ blob, file }) => ({ path: blobPath(blob), mode: 0o644, from: { file } })),
  ]);
  const file = join(out, `${title}-${platform.replace('/', '-')}.tar`);
  mkdirSync(out, { recursive: true });
  writeAtomically(file, archive);
  const bytes = packed.reduce((total, { blob }) => total + blob.size, 0);
  return { title, reference, platform, file, digest: manifest.blob.digest, bytes };
}

/** Packs a layer. The compressed file is cached under the digest of the content, because compressing takes seconds. */
async function packLayer({ files }: Layer, cache: string): Promise<{ blob: Blob; diffId: string; file: string }> {
  const content = await packTar(files);
  const diffId = digestOf(content);
  const file = join(cache, `${diffId.replace('sha256:', '')}.tar.gz`);
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    writeAtomically(file, await promisify(gzip)(content));
  }
  const compressed = readFileSync(file);
  const blob = { mediaType: `${TYPE}.layer.v1.tar+gzip`, digest: digestOf(compressed), size: compressed.length };
  return { blob, diffId, file };
}

function jsonBlob(mediaType: string, content: unknown): { blob: Blob; text: string } {
  const text = JSON.stringify(content);
  return { blob: { mediaType, digest: digestOf(text), size: Buffer.byteLength(text) }, text };
}

function blobPath({ digest }: Blob): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function digestOf(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
