import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from './exit.ts';
import { LOCAL_FIELDS, readPrivateFile } from './sources.ts';
import type { LocalFile } from './sources.ts';

/** Returns the file with the profiles of the user. */
export function profilesFile(env: NodeJS.ProcessEnv): string {
  const { XDG_CONFIG_HOME: config, HOME: home } = env;
  const folder = config !== undefined && config !== '' ? config : join(home ?? homedir(), '.config');
  return join(folder, 'svc-asr', 'config.json');
}

/**
 * Reads the profile of this name, which has the address and the secrets of a service. Throws a `UsageError` if the
 * profile cannot be used.
 */
export function readProfile(name: string, env: NodeJS.ProcessEnv): LocalFile {
  const file = profilesFile(env);
  const text = readPrivateFile(file);
  if (text === undefined) {
    throw new UsageError(
      `${file} does not exist. Create it with mode 600, for example: {"profiles": {"${name}": {"base_url": "https://asr.example", "api_key": "..."}}}`,
    );
  }
  const profiles = parseProfiles(file, text);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) {
    const names = Object.keys(profiles).join(', ');
    throw new UsageError(`${file} has no profile "${name}". It has: ${names === '' ? 'none' : names}`);
  }
  return checkProfile(profile, `profile "${name}" in ${file}`, dirname(file));
}

function parseProfiles(file: string, text: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The message of the parser quotes the text, which contains secrets.
    throw new UsageError(`${file} is not JSON. Correct it`);
  }
  const profiles = (content as { profiles?: unknown } | null)?.profiles;
  if (!isRecord(profiles)) throw new UsageError(`${file} must contain an object "profiles"`);
  return profiles;
}

/**
 * Checks the fields of a profile. The path of its CA file is relative to `folder`, the folder of the configuration
 * file.
 */
function checkProfile(profile: unknown, title: string, folder: string): LocalFile {
  if (!isRecord(profile)) throw new UsageError(`${title} must be an object`);
  const fields: LocalFile = {};
  for (const [name, value] of Object.entries(profile)) {
    const field = LOCAL_FIELDS.find((known) => known === name);
    if (field === undefined) {
      throw new UsageError(`${title} has an unknown field "${name}". Fields are ${LOCAL_FIELDS.join(', ')}`);
    }
    if (typeof value !== 'string' || value === '') throw new UsageError(`${title}: ${name} must be a text`);
    fields[field] = field === 'ca_file' ? resolve(folder, value) : value;
  }
  if (fields.base_url === undefined && fields.admin_url === undefined) {
    throw new UsageError(`${title} must have base_url or admin_url`);
  }
  return fields;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
