import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { PackageFiles } from './client.ts';

/** Writes files as a tarball that npm can install. The same files give the same tarball. */
export async function writeTarball(files: PackageFiles, path: string): Promise<void> {
  const archive = pack();
  for (const [name, text] of files) archive.entry({ name: `package/${name}`, mtime: new Date(0), mode: 0o644 }, text);
  archive.finalize();
  await pipeline(archive, createGzip({ level: 9 }), createWriteStream(path));
}
