import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebianPackage } from './debian.ts';
import { fileOf, listFolder } from './image-file.ts';
import type { ImageFile } from './image-file.ts';
import { USER } from './image.ts';

/** Debian packages with what Node and onnxruntime load, and the authorities that TLS trusts. */
export const SYSTEM_PACKAGES = ['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates'] as const;

const AUTHORITIES = 'usr/share/ca-certificates/mozilla';
/** Users and groups that containers are run as, beside root. */
export type Users = Readonly<Record<string, number>>;

/** The files of Debian packages that programs load: libraries, and what says who wrote them. */
export function libraryFiles(packages: readonly DebianPackage[]): ImageFile[] {
  return packages.flatMap(({ folder, name }) => [
    ...listFolder(folder, '', isLibrary).map((file) => ({ ...file, path: merged(file.path) })),
    ...copyright(folder, name),
  ]);
}

/** What every image has beside libraries and programs. */
export function baseFiles(packages: readonly DebianPackage[], users: Users = { [USER.name]: USER.id }): ImageFile[] {
  const accounts = Object.entries({ root: 0, ...users });
  const text = (path: string, lines: readonly string[]): ImageFile => ({
    path,
    mode: 0o644,
    from: { text: `${lines.join('\n')}\n` },
  });
  return [
    // Debian's newer releases have all in /usr, older ones do not: the images have it like the newer ones.
    { path: 'lib', mode: 0o777, from: { link: 'usr/lib' } },
    { path: 'lib64', mode: 0o777, from: { link: 'usr/lib64' } },
    { path: 'tmp', mode: 0o1777, from: 'folder' },
    { path: 'usr/lib64', mode: 0o755, from: 'folder' },
    text(
      'etc/passwd',
      accounts.map(([name, id]) => `${name}:x:${id}:${id}:${name}:/:/nonexistent`),
    ),
    text(
      'etc/group',
      accounts.map(([name, id]) => `${name}:x:${id}:`),
    ),
    text('etc/nsswitch.conf', ['passwd: files', 'group: files', 'hosts: files dns']),
    ...authorities(packages),
  ];
}

/** Shared libraries and the loader; not what glibc brings for converting between character sets. */
function isLibrary(path: string): boolean {
  if (path.endsWith('/')) return /^(usr\/)?(lib(64)?\/)?([a-z0-9_]+-linux-gnu[a-z0-9]*\/)?$/.test(path);
  return /^(usr\/)?lib(64)?\/([^/]+\/)?[^/]+\.so(\.[^/]+)?$/.test(path);
}

function merged(path: string): string {
  return path.startsWith('usr/') ? path : `usr/${path}`;
}

function copyright(folder: string, name: string): ImageFile[] {
  const path = `usr/share/doc/${name}/copyright`;
  // Packages of one source share the file by a link to the folder of another.
  return existsSync(join(folder, path)) ? [fileOf(path, join(folder, path))] : [];
}

/** All authorities in one file, as programs expect it. */
function authorities(packages: readonly DebianPackage[]): ImageFile[] {
  const carrier = packages.find(({ folder }) => existsSync(join(folder, AUTHORITIES)));
  if (carrier === undefined) return [];
  const folder = join(carrier.folder, AUTHORITIES);
  const certificates = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trimEnd());
  return [
    { path: 'etc/ssl/certs/ca-certificates.crt', mode: 0o644, from: { text: `${certificates.join('\n')}\n` } },
    { path: 'etc/ssl/cert.pem', mode: 0o777, from: { link: 'certs/ca-certificates.crt' } },
  ];
}
