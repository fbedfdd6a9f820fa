import { accessSync, constants, readFileSync, statSync } from 'node:fs';

/** A setting: an environment variable with its description, default and parser. */
export interface Setting<T> {
  readonly description: string;
  /** Default in the format of the environment variable. Undefined if the setting is required. */
  readonly fallback: string | undefined;
  readonly read: (text: string) => T;
  /**
   * True if the value is secret. A secret may also be read from the file that `NAME_FILE` names, and is never shown.
   */
  readonly secret?: boolean;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type ValuesOf<S extends Settings> = { readonly [N in keyof S]: ReturnType<S[N]['read']> };

/** Thrown at start if settings are invalid. The message lists all of them. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Reads the settings of a service from the environment. */
export function readSettings<S extends Settings>(settings: S, env: NodeJS.ProcessEnv = process.env): ValuesOf<S> {
  const values: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [name, setting] of Object.entries(settings)) {
    try {
      const text = textOf(name, setting, env);
      if (text === undefined) wrong.push(`${name} is not set: ${setting.description}`);
      else values[name] = setting.read(text);
    } catch (error) {
      wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  return values as ValuesOf<S>;
}

function textOf(name: string, setting: Setting<unknown>, env: NodeJS.ProcessEnv): string | undefined {
  const file = setting.secret === true ? env[`${name}_FILE`] : undefined;
  if (file !== undefined && file !== '') return readFileSync(file, 'utf8').trim();
  const text = env[name];
  return text === undefined || text === '' ? setting.fallback : text;
}

type Options = Pick<Setting<unknown>, 'secret'>;

/** Defines a setting whose value is any text. */
export function text(description: string, fallback?: string, options: Options = {}): Setting<string> {
  return { description, fallback, read: (value) => value, ...options };
}

/** Defines a setting whose value is an integer within bounds. The name of the setting must contain the unit, if any. */
export function integer(description: string, fallback: number, min = 0, max = 2 ** 31 - 1): Setting<number> {
  return {
    description,
    fallback: String(fallback),
    read: (value) => {
      const number = Number(value);
      if (!Number.isInteger(number) || number < min || number > max) {
        throw new Error(`"${value}" is not an integer from ${min} to ${max}`);
      }
      return number;
    },
  };
}

/** Defines a setting that accepts a fixed set of values. */
export function choice<const C extends readonly string[]>(
  description: string,
  choices: C,
  fallback: C[number],
): Setting<C[number]> {
  return {
    description: `${description} One of ${choices.join(', ')}.`,
    fallback,
    read: (value) => {
      if (!choices.includes(value)) throw new Error(`"${value}" is not one of ${choices.join(', ')}`);
      return value;
    },
  };
}

/** Defines a setting whose value is a list, separated by commas. */
export function list(description: string, fallback = ''): Setting<string[]> {
  const read = (value: string) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return { description, fallback, read };
}

/**
 * Defines a setting whose value is an absolute URL with one of the given schemes. The value may be empty if the default
 * is empty.
 */
export function url(description: string, schemes: readonly string[], fallback?: string): Setting<string> {
  return {
    description,
    fallback,
    read: (value) => {
      if (value === '' && fallback === '') return value;
      if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol)) {
        // The value is not quoted, because it may contain a password.
        throw new Error(`is not a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
      }
      return value.replace(/\/+$/, '');
    },
  };
}

/**
 * Defines a setting whose value is the path of a readable file. If the file is not required, the value may be empty.
 */
export function readableFile(description: string, { required = false } = {}): Setting<string> {
  return {
    description,
    fallback: required ? undefined : '',
    read: (path) => {
      if (path !== '' && !statSync(path, { throwIfNoEntry: false })?.isFile())
        throw new Error(`the file ${path} does not exist`);
      if (path !== '') accessSync(path, constants.R_OK);
      return path;
    },
  };
}

/** Reads the settings of a service at start. If any is invalid, prints the problems and ends the process. */
export function readSettingsOrExit<S extends Settings>(service: string, settings: S): ValuesOf<S> {
  return orExit(service, () => readSettings(settings));
}

/** Returns the result of `read`. If it throws a SettingsError, prints the problems and ends the process. */
export function orExit<T>(service: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${service}: ${error.message}\n`);
    process.exit(2);
  }
}
