import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable, Transform } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ImageFile, Layer } from './image-file.ts';
import { tarPieces, withFolders } from './tar.ts';

/** Raised when the way in which layers are packed changes. */
const RECIPE = 1;

/** A layer as it is stored. */
export interface PackedLayer {
  name: string;
  /** The compressed archive. */
  file: string;
  bytes: number;
  unpackedBytes: number;
  /** Of the compressed archive, such as `sha256:…`. */
  digest: string;
  /** Of the archive itself. */
  diffId: string;
}

/** Packs a layer, or finds it where the same content was packed before. */
export async function packLayer(layer: Layer, cache: string): Promise<PackedLayer> {
  const key = await contentKey(layer.files);
  const file = join(cache, `${key}.tar.gz`);
  const record = join(cache, `${key}.json`);
  if (!existsSync(record)) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(record, JSON.stringify(await pack(layer.files, file)));
  }
  const packed = JSON.parse(readFileSync(record, 'utf8')) as Omit<PackedLayer, 'name' | 'file'>;
  return { name: layer.name, file, ...packed };
}

/** A name for the content of files that is another one when any of them changes. */
export async function contentKey(files: readonly ImageFile[]): Promise<string> {
  const hash = createHash('sha256').update(`${RECIPE}\n`);
  for (const { path, mode, from } of withFolders(files)) {
    const content = typeof from === 'object' && 'file' in from ? await digestOf(from.file) : JSON.stringify(from);
    hash.update(JSON.stringify([path, mode, content]));
  }
  return hash.digest('hex').slice(0, 32);
}

async function pack(files: readonly ImageFile[], file: string): Promise<Omit<PackedLayer, 'name' | 'file'>> {
  const draft = `${file}.${process.pid}.draft`;
  const plain = count();
  const compressed = count();
  // No time and no name in the head of the archive: zlib writes none.
  await pipeline(
    Readable.from(tarPieces(files)),
    plain.stream,
    createGzip({ level: 6 }),
    compressed.stream,
    createWriteStream(draft),
  );
  renameSync(draft, file);
  const [unpacked, packed] = [plain.result(), compressed.result()];
  return { bytes: packed.bytes, unpackedBytes: unpacked.bytes, digest: packed.digest, diffId: unpacked.digest };
}

/** Passes everything on, and knows afterwards what it was. */
function count(): { stream: Transform; result: () => { bytes: number; digest: string } } {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ bytes, digest: `sha256:${hash.digest('hex')}` }) };
}

/** Digests of files by path, size and time: several images hold the same Node. */
const known = new Map<string, string>();

async function digestOf(file: string): Promise<string> {
  const { size, mtimeMs } = statSync(file);
  const key = `${file} ${size} ${mtimeMs}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const digest = hash.digest('hex');
  known.set(key, digest);
  return digest;
}
