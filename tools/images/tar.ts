import { readFileSync } from 'node:fs';
import { pack } from 'tar-stream';
import { withFolders } from './files.ts';
import type { ImageFile } from './files.ts';

/** Packs files and the folders above them. The result depends on the files alone: owner is root, times are 1970. */
export async function packTar(files: readonly ImageFile[]): Promise<Buffer> {
  const archive = pack();
  for (const { path, mode, from } of withFolders(files)) {
    const header = { name: path, mode, uid: 0, gid: 0, mtime: new Date(0) };
    if (from === 'folder') archive.entry({ ...header, type: 'directory' });
    else if ('link' in from) archive.entry({ ...header, type: 'symlink', linkname: from.link });
    else archive.entry(header, 'text' in from ? Buffer.from(from.text) : readFileSync(from.file));
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
