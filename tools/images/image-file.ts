import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A file of an image. */
export interface ImageFile {
  /** From the root of the image, without a slash in front. */
  path: string;
  /** Its rights, such as 0o644; those of a link mean nothing. */
  mode: number;
  /** Where it comes from: a file of this machine, a text, or a link to another place of the image; or it is a folder. */
  from: { file: string } | { text: string } | { link: string } | 'folder';
}

/** A part of an image that is stored, and fetched, on its own. */
export interface Layer {
  name: string;
  files: readonly ImageFile[];
}

/** Files under a folder with their paths in it, in the order of the alphabet; links stay links. */
export function listFolder(folder: string, at: string, wanted: (path: string) => boolean = () => true): ImageFile[] {
  const walk = (inside: string): ImageFile[] =>
    readdirSync(join(folder, inside))
      .sort()
      .flatMap((name) => {
        const path = inside === '' ? name : `${inside}/${name}`;
        const file = join(folder, path);
        const stat = lstatSync(file);
        if (stat.isDirectory()) return wanted(`${path}/`) ? walk(path) : [];
        if (!wanted(path)) return [];
        if (stat.isSymbolicLink()) return [{ path: `${at}/${path}`, mode: 0o777, from: { link: readlinkSync(file) } }];
        return [fileOf(`${at}/${path}`, file, (stat.mode & 0o111) !== 0)];
      });
  return walk('').map((file) => ({ ...file, path: file.path.replace(/^\//, '') }));
}

/** One file of this machine; whatever its rights are here, in the image everybody may read it and nobody write it. */
export function fileOf(path: string, file: string, executable = false): ImageFile {
  return { path, mode: executable ? 0o755 : 0o644, from: { file } };
}
