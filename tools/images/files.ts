import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A file of an image. */
export interface ImageFile {
  /** Path from the root of the image, without a leading slash. */
  path: string;
  /** Permissions, such as 0o644. Ignored for links. */
  mode: number;
  from: { file: string } | { text: string } | { link: string } | 'folder';
}

/**
 * Lists the files of a folder, sorted by path. `at` is the prefix of their paths in the image. `wanted` selects files
 * and folders by their path in the folder; the path of a folder ends with a slash.
 */
export function listFolder(folder: string, at: string, wanted: (path: string) => boolean = () => true): ImageFile[] {
  const walk = (inside: string): ImageFile[] =>
    readdirSync(join(folder, inside), { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = `${inside}${entry.name}`;
        if (entry.isDirectory()) return wanted(`${path}/`) ? walk(`${path}/`) : [];
        return wanted(path) ? [fileOf(`${at}${path}`, join(folder, path))] : [];
      });
  return walk('');
}

/**
 * Describes a file or link of this machine. In the image all users may read the file, and may execute it if its owner
 * may execute it on this machine.
 */
export function fileOf(path: string, file: string): ImageFile {
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) return { path, mode: 0o777, from: { link: readlinkSync(file) } };
  return { path, mode: (stat.mode & 0o100) === 0 ? 0o644 : 0o755, from: { file } };
}

/** Describes a text file of the image. */
export function textOf(path: string, text: string, mode = 0o644): ImageFile {
  return { path, mode, from: { text } };
}

/** Describes a symbolic link of the image. */
export function linkOf(path: string, link: string): ImageFile {
  return { path, mode: 0o777, from: { link } };
}

/** Sorts files by path and adds the folders above them. */
export function withFolders(files: readonly ImageFile[]): ImageFile[] {
  const all = new Map<string, ImageFile>();
  for (const file of files) {
    const parts = file.path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const path = parts.slice(0, depth).join('/');
      if (!all.has(path)) all.set(path, { path, mode: 0o755, from: 'folder' });
    }
    all.set(file.path, file);
  }
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
