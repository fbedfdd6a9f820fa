import { parseArgs } from 'node:util';
import type { Command, Option } from './command.ts';
import { UsageError } from './exit.ts';
import { suggest } from './suggest.ts';

const HELP: Record<string, Option> = { help: { help: 'Show this help.', short: 'h' } };
const COMMON: Record<string, Option> = {
  json: { help: 'Print the result as JSON.' },
  ...HELP,
  ca: { value: 'FILE', help: 'CA certificate of the service (PEM).' },
  profile: { value: 'NAME', help: 'Profile of ~/.config/svc-asr/config.json, with the address and key of a service.' },
};
const ADDRESS: Record<Exclude<Command['api'], 'none'>, Record<string, Option>> = {
  service: { 'base-url': { value: 'URL', help: 'Address of the service.' } },
  admin: { 'admin-url': { value: 'URL', help: 'Address of the admin API.' } },
};

/** Returns all options of a command. */
export function optionsOf(command: Command): Record<string, Option> {
  if (command.api === 'none') return { ...command.options, ...HELP };
  // The options of the command come first in the help. They are repeated last, so that their texts replace those of
  // common options.
  return { ...command.options, ...ADDRESS[command.api], ...COMMON, ...command.options };
}

export interface ParsedLine {
  values: Record<string, readonly string[]>;
  switches: ReadonlySet<string>;
  args: Record<string, string>;
  /** Values of the last argument. */
  rest: readonly string[];
}

/** Finds the command at the start of a command line, and the arguments after it. Undefined if no command matches. */
export function findCommand(
  commands: readonly Command[],
  line: readonly string[],
): { command: Command; rest: readonly string[] } | undefined {
  const command = commands.find(({ words }) => words.every((word, at) => line[at] === word));
  return command === undefined ? undefined : { command, rest: line.slice(command.words.length) };
}

/** Parses the arguments of a command. */
export function parseLine(command: Command, rest: readonly string[]): ParsedLine {
  refuseSecrets(rest);
  const known = optionsOf(command);
  const { values, positionals } = parse(command, known, rest);
  const switches = new Set<string>();
  const texts: Record<string, readonly string[]> = {};
  for (const [name, given] of Object.entries(values)) {
    const list = [given].flat();
    if (list[0] === true) switches.add(name);
    else texts[name] = list.map(String);
  }
  if (switches.has('help')) return { values: texts, switches, args: {}, rest: [] };
  const missing = command.args.slice(positionals.length).concat(missingOptions(known, texts));
  if (missing.length > 0) throw new UsageError(`missing: ${missing.join(', ')}`);
  const isOpen = command.args.at(-1)?.endsWith('...') === true;
  if (positionals.length > command.args.length && !isOpen) {
    throw new UsageError(`too many arguments: ${positionals.slice(command.args.length).join(' ')}`);
  }
  const args = Object.fromEntries(command.args.map((name, at) => [name, positionals[at] ?? '']));
  return { values: texts, switches, args, rest: positionals.slice(Math.max(0, command.args.length - 1)) };
}

function parse(command: Command, known: Record<string, Option>, rest: readonly string[]) {
  try {
    return parseArgs({
      args: [...rest],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(known).map(([name, { value, multiple = false, short }]) => [
          name,
          { type: value === undefined ? 'boolean' : 'string', multiple, ...(short === undefined ? {} : { short }) },
        ]),
      ),
    });
  } catch (error) {
    throw new UsageError(describeParseError(command, known, error));
  }
}

/** Describes an error of `parseArgs`. If an option is misspelled, suggests the option that the user probably meant. */
function describeParseError({ words }: Command, known: Record<string, Option>, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const given = /'(-[^']*)'/.exec(message)?.[1];
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || given === undefined) return message;
  const similar = suggest(given.replace(/^-+/, ''), Object.keys(known));
  const help = `Run \`svc-asr ${words.join(' ')} --help\` for a list of options`;
  return `unknown option ${given}. ${similar === undefined ? help : `Did you mean --${similar}?`}`;
}

function missingOptions(known: Record<string, Option>, given: Record<string, unknown>): string[] {
  const required = Object.entries(known).filter(([name, option]) => option.required === true && !(name in given));
  return required.map(([name, { value }]) => `--${name} ${value ?? ''}`);
}

/**
 * Refuses API keys and session credentials, because other users can see arguments, and the shell history stores them.
 */
function refuseSecrets(line: readonly string[]): void {
  if (line.some((word) => /svc_live_v1_[0-9A-Za-z]{10}_|svc\.auth\./.test(word))) {
    throw new UsageError(
      'secrets are not accepted as arguments. Set SVC_ASR_API_KEY, or use the key id (the 10 characters after svc_live_v1_). ' +
        'Your shell history now contains this secret, so consider revoking it.',
    );
  }
}
