import { createHash } from 'node:crypto';
import type { PackedLayer } from './layer.ts';
import type { Platform } from './platform.ts';

/** How an image runs. */
export interface ImageConfig {
  user: string;
  workingDir: string;
  entrypoint: readonly string[];
  env: readonly string[];
  labels: Readonly<Record<string, string>>;
}

/** A document or a layer of an image, by its content. */
export interface Blob {
  mediaType: string;
  digest: string;
  size: number;
}

/** A document that is stored as it is hashed. */
export interface Document extends Blob {
  text: string;
}

const TYPES = {
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;
/** Images are the same whenever they are built. */
const CREATED = '1970-01-01T00:00:00Z';

/** The configuration of an image. */
export function buildConfig(config: ImageConfig, platform: Platform, layers: readonly PackedLayer[]): Document {
  const [os, architecture] = platform.split('/');
  return toDocument(TYPES.config, {
    created: CREATED,
    architecture,
    os,
    config: {
      User: config.user,
      WorkingDir: config.workingDir,
      Entrypoint: config.entrypoint,
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...config.env],
      Labels: config.labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ name }) => ({ created: CREATED, created_by: name })),
  });
}

/** The list of what an image consists of. */
export function buildManifest(config: Document, layers: readonly PackedLayer[]): Document {
  return toDocument(TYPES.manifest, {
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config: describe(config),
    layers: layers.map(({ digest, bytes }) => ({ mediaType: TYPES.layer, digest, size: bytes })),
  });
}

/** The entry of a folder of images: which image it holds, under which name. */
export function buildIndex(manifest: Document, platform: Platform, reference: string): string {
  const [os, architecture] = platform.split('/');
  const tag = reference.slice(reference.lastIndexOf(':') + 1);
  // The second is the standard's, which has room for a tag alone; the first is what containerd names the image by.
  const annotations = { 'io.containerd.image.name': reference, 'org.opencontainers.image.ref.name': tag };
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: TYPES.index,
    manifests: [{ ...describe(manifest), platform: { architecture, os }, annotations }],
  });
}

/** Where a document or layer lies in a folder of images. */
export function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function toDocument(mediaType: string, content: unknown): Document {
  const text = JSON.stringify(content);
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  return { mediaType, digest, size: Buffer.byteLength(text), text };
}

function describe({ mediaType, digest, size }: Blob): Blob {
  return { mediaType, digest, size };
}
