import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from './exit.ts';

/**
 * Sources of the configuration by precedence: flags, environment, and a profile or the file that `npm start` writes.
 */
export interface Sources {
  flags: { baseUrl?: string | undefined; adminUrl?: string | undefined; ca?: string | undefined };
  env: NodeJS.ProcessEnv;
  file: LocalFile;
}

/** Content of `local.json`, which `npm start` writes, or of a profile. */
export interface LocalFile {
  base_url?: string;
  admin_url?: string;
  ca_file?: string;
  api_key?: string;
  admin_token?: string;
}

export const LOCAL_FIELDS = ['base_url', 'admin_url', 'ca_file', 'api_key', 'admin_token'] as const;

/**
 * If SVC_ASR_HOME is set, reads `local.json` in that folder. Otherwise reads `.svc-asr/local.json` in `cwd`, or in the
 * nearest parent folder that has this file.
 */
export function readLocalFile(env: NodeJS.ProcessEnv, cwd: string): LocalFile {
  const home = env.SVC_ASR_HOME;
  if (home !== undefined && home !== '') return readFields(join(resolve(cwd, home), 'local.json')) ?? {};
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = readFields(join(folder, '.svc-asr', 'local.json'));
    if (found !== undefined) return found;
    if (dirname(folder) === folder) return {};
  }
}

function readFields(file: string): LocalFile | undefined {
  const text = readOwnFile(file, 'SVC_ASR_HOME');
  if (text === undefined) return undefined;
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    // The error of the parser is dropped, because its message quotes the text, which contains secrets.
    throw new UsageError(`${file} is not JSON. Run \`npm start\` to write it again`);
  }
  const fields: LocalFile = {};
  for (const name of LOCAL_FIELDS) {
    const value = (values as Record<string, unknown> | null)?.[name];
    if (typeof value === 'string' && value !== '') fields[name] = value;
  }
  return fields;
}

/**
 * Reads a file. Undefined if it does not exist. Throws if the file belongs to neither this user nor root. The error
 * message names `variable`, the environment variable that sets the folder of the file.
 */
function readOwnFile(file: string, variable: string): string | undefined {
  try {
    // A file of another user in a parent folder could redirect the key to that user's address.
    const { uid } = statSync(file);
    if (process.getuid !== undefined && uid !== 0 && uid !== process.getuid()) {
      throw new UsageError(`${file} belongs to another user. Set ${variable} to your own folder`);
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`cannot read ${file}: ${code ?? 'unknown error'}`);
  }
}

/** Reads the file with the profiles. Undefined if it does not exist. Throws if other users may read it. */
export function readPrivateFile(file: string): string | undefined {
  const text = readOwnFile(file, 'XDG_CONFIG_HOME');
  const isShared = text !== undefined && process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  if (isShared) throw new UsageError(`other users may read ${file}, which contains secrets. Run: chmod 600 ${file}`);
  return text;
}
