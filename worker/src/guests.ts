import { readSettings, SettingsError } from '@svc-asr/runtime';
import { WORKER_SETTINGS } from './settings.ts';
import type { WorkerSettings } from './settings.ts';

/**
 * Variables that an entry of GUESTS can set. The variables in REQUIRED are required, and those in OPTIONAL are
 * optional.
 */
const REQUIRED = ['MODEL', 'MODEL_DIR'] as const;
const OPTIONAL = [
  'SLOTS',
  'PORT',
  'ADVERTISE_ADDRESS',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'REDIS_URL',
  'REDIS_URL_FILE',
] as const;
const OWN: readonly string[] = [...REQUIRED, ...OPTIONAL];
/**
 * Variables that a guest must not inherit from the worker, with their default values for a guest. For example, two
 * models cannot have the same port.
 */
const NOT_INHERITED = { GUESTS: '[]', SLOTS: '0', PORT: '0', ADVERTISE_ADDRESS: '' };

/**
 * Returns the settings of each model that this process serves: MODEL first, then GUESTS. A guest inherits the
 * environment of the worker, except for NOT_INHERITED. The variables in its entry of GUESTS override the inherited
 * ones. If an entry is invalid, throws a SettingsError that names the entry.
 */
export function readModelSettings(env: NodeJS.ProcessEnv = process.env): [WorkerSettings, ...WorkerSettings[]] {
  const first = readSettings(WORKER_SETTINGS, env);
  const guests = parseGuests(first.GUESTS).map((guest, index) => {
    try {
      return readSettings(WORKER_SETTINGS, buildGuestEnvironment(env, guest));
    } catch (error) {
      throw new SettingsError(`GUESTS[${index}]: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  const names = [first, ...guests].map(({ MODEL }) => MODEL);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new SettingsError(`GUESTS: the model ${repeated} is listed twice`);
  return [first, ...guests];
}

type Guest = Readonly<Record<string, string>>;

function buildGuestEnvironment(env: NodeJS.ProcessEnv, guest: Guest): NodeJS.ProcessEnv {
  // REDIS_URL_FILE takes precedence over REDIS_URL. So a guest with a REDIS_URL must not inherit REDIS_URL_FILE from
  // the worker.
  const isFileHidden = guest.REDIS_URL !== undefined && guest.REDIS_URL_FILE === undefined;
  return { ...env, ...NOT_INHERITED, ...(isFileHidden && { REDIS_URL_FILE: '' }), ...guest };
}

function parseGuests(json: string): Guest[] {
  const list = parseJson(json);
  if (!Array.isArray(list)) throw new SettingsError('GUESTS: is not a JSON list of objects');
  return list.map((entry: unknown, index) => {
    const refuse = (problem: string) => new SettingsError(`GUESTS[${index}]: ${problem}`);
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw refuse('is not an object');
    const pairs = Object.entries(entry).map(([name, value]: [string, unknown]) => {
      if (!OWN.includes(name)) throw refuse(`${name} is unknown; use ${OWN.join(', ')}`);
      if (typeof value !== 'string' && typeof value !== 'number') throw refuse(`${name} is not a text or number`);
      return [name, String(value)] as const;
    });
    const guest: Guest = Object.fromEntries(pairs);
    const missing = REQUIRED.find((name) => (guest[name] ?? '') === '');
    if (missing !== undefined) throw refuse(`${missing} is missing`);
    return guest;
  });
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
