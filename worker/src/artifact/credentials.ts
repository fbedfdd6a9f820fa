import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArtifactError } from './error.ts';

/** Credentials for a private server, and the CA certificates that verify the server. */
export interface Credentials {
  /** Header that is sent only to the origin of the artifact's URL. */
  header: readonly [name: string, value: string] | undefined;
  /** CA certificates (PEM) that are trusted in addition to those of Node. */
  ca: string | undefined;
}

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/**
 * Visible ASCII characters, with spaces only between them. Line breaks are not allowed, because a line break could end
 * the header.
 */
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Reads the credentials from the files of a mounted Secret: `username` and `password`, or `token`, or `header` (`Name:
 * value`). The Secret can also contain `ca.crt`. Returns no credentials if the folder name is empty.
 */
export function readCredentials(folder: string): Credentials {
  if (folder === '') return { header: undefined, ca: undefined };
  const [username, password, token, header] = ['username', 'password', 'token', 'header'].map((name) =>
    read(folder, name)?.trim(),
  );
  const found = [
    username === undefined && password === undefined ? undefined : basic(username ?? '', password ?? ''),
    token === undefined ? undefined : (['authorization', `Bearer ${token}`] as const),
    header === undefined ? undefined : parseHeader(header),
  ].filter((one) => one !== undefined);
  if (found.length > 1) {
    throw new ArtifactError(
      'the Secret of the artifact has several credentials; keep only username and password, or token, or header',
    );
  }
  if (found[0] !== undefined && !VALUE.test(found[0][1])) {
    throw new ArtifactError(
      'the credentials in the Secret of the artifact contain characters that are not allowed in a header',
    );
  }
  return { header: found[0], ca: read(folder, 'ca.crt') };
}

function basic(username: string, password: string): readonly [string, string] {
  return ['authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
}

function parseHeader(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon)).trim();
  if (!NAME.test(name))
    throw new ArtifactError('`header` in the Secret of the artifact is not of the form Name: value');
  return [name.toLowerCase(), text.slice(colon + 1).trim()];
}

function read(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ArtifactError(`the Secret of the artifact cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
