import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebianPackage } from './debian.ts';
import { fileOf, linkOf, listFolder, textOf } from './files.ts';
import type { ImageFile } from './files.ts';

const CERTIFICATES = 'usr/share/ca-certificates/mozilla';

/** Lists the shared libraries of Debian packages, and their copyright files. */
export function libraryFiles(packages: readonly DebianPackage[]): ImageFile[] {
  return packages.flatMap(({ folder, name }) => {
    const copyright = `usr/share/doc/${name}/copyright`;
    return [
      // Older Debian releases have /lib and /usr/lib. The images have only /usr/lib, as newer releases do.
      ...listFolder(folder, '', isLibrary).map((file) => ({ ...file, path: file.path.replace(/^(?!usr\/)/, 'usr/') })),
      // In some packages, the copyright file is a link into another package, which is not in this folder. Such a link
      // is left out.
      ...(existsSync(join(folder, copyright)) ? [fileOf(copyright, join(folder, copyright))] : []),
    ];
  });
}

/**
 * Lists the files that an image has in addition to libraries and programs. CA certificates are included if one of the
 * packages has them. `users` are the users of containers, with their ids.
 */
export function baseFiles(
  packages: readonly DebianPackage[],
  users: Readonly<Record<string, number>> = { nonroot: 65532 },
): ImageFile[] {
  const accounts = Object.entries({ root: 0, ...users });
  return [
    linkOf('lib', 'usr/lib'),
    linkOf('lib64', 'usr/lib64'),
    { path: 'tmp', mode: 0o1777, from: 'folder' },
    { path: 'usr/lib64', mode: 0o755, from: 'folder' },
    textOf('etc/passwd', accounts.map(([name, id]) => `${name}:x:${id}:${id}:${name}:/:/nonexistent\n`).join('')),
    textOf('etc/group', accounts.map(([name, id]) => `${name}:x:${id}:\n`).join('')),
    textOf('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    ...packages.flatMap(certificateFiles),
  ];
}

/** Accepts shared libraries and the loader, but not glibc's converters between character sets. */
function isLibrary(path: string): boolean {
  if (path.endsWith('/')) return /^(usr\/)?(lib(64)?\/)?([a-z0-9_]+-linux-gnu[a-z0-9]*\/)?$/.test(path);
  return /^(usr\/)?lib(64)?\/([^/]+\/)?[^/]+\.so(\.[^/]+)?$/.test(path);
}

/** Joins the CA certificates of a package in the one file that programs read. */
function certificateFiles({ folder }: DebianPackage): ImageFile[] {
  const certificates = join(folder, CERTIFICATES);
  if (!existsSync(certificates)) return [];
  const texts = readdirSync(certificates)
    .sort()
    .map((name) => readFileSync(join(certificates, name), 'utf8').trimEnd());
  return [
    textOf('etc/ssl/certs/ca-certificates.crt', `${texts.join('\n')}\n`),
    linkOf('etc/ssl/cert.pem', 'certs/ca-certificates.crt'),
  ];
}
