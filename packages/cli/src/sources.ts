import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from './exit.ts';

/** Where the configuration of the command comes from, strongest first: flags, environment, the file of `npm start`. */
export interface Sources {
  flags: { baseUrl?: string | undefined; adminUrl?: string | undefined; ca?: string | undefined };
  env: NodeJS.ProcessEnv;
  file: LocalFile;
}

/** `local.json`, as `npm start` writes it. */
export interface LocalFile {
  base_url?: string;
  admin_url?: string;
  ca_file?: string;
  api_key?: string;
  admin_token?: string;
}

const FIELDS = ['base_url', 'admin_url', 'ca_file', 'api_key', 'admin_token'] as const;

/** Reads `$SVC_ASR_HOME/local.json`, else `.svc-asr/local.json` of this folder or the nearest above that has one. */
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
  const text = readOwnFile(file);
  if (text === undefined) return undefined;
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which holds secrets.
    throw new UsageError(`${file} is not JSON: run \`npm start\` again, which writes it`);
  }
  const fields: LocalFile = {};
  for (const name of FIELDS) {
    const value = (values as Record<string, unknown> | null)?.[name];
    if (typeof value === 'string' && value !== '') fields[name] = value;
  }
  return fields;
}

function readOwnFile(file: string): string | undefined {
  try {
    // A file that someone else put above this folder could send our key to an address of theirs.
    const { uid } = statSync(file);
    if (process.getuid !== undefined && uid !== 0 && uid !== process.getuid()) {
      throw new UsageError(`${file} belongs to another user; set SVC_ASR_HOME to a folder of your own`);
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`cannot read ${file}: ${code ?? 'unknown error'}`);
  }
}
