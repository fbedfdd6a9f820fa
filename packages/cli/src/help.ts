import type { Command, Option } from './command.ts';
import { EXIT } from './exit.ts';
import { optionsOf } from './parse.ts';
import { formatTable } from './table.ts';

const ENVIRONMENT = [
  ['SVC_ASR_API_KEY', 'the API key'],
  ['SVC_ASR_ADMIN_TOKEN', 'the admin token'],
  ['SVC_ASR_ADMIN_TOKEN_FILE', 'a file with it'],
  ['SVC_ASR_BASE_URL', 'as --base-url'],
  ['SVC_ASR_ADMIN_URL', 'as --admin-url'],
  ['SVC_ASR_CA_FILE', 'as --ca'],
  ['SVC_ASR_HOME', 'folder of local.json, which `npm start` writes; default: .svc-asr here or above'],
] as const;

/** The help of a group of commands: those whose words begin with `words`. */
export function groupHelp(commands: readonly Command[], words: readonly string[]): string {
  const members = commands.filter((command) => words.every((word, at) => command.words[at] === word));
  return [
    `Usage: svc-asr ${[...words, 'COMMAND'].join(' ')} [OPTIONS]\n\nCommands:\n`,
    indent(members.map((command) => [usageOf(command), command.summary])),
    '\n--help after any command shows its options.\n\nEnvironment:\n',
    indent(ENVIRONMENT),
    '\nExit status:\n',
    indent(Object.values(EXIT).map(({ status, meaning }) => [String(status), meaning])),
  ].join('');
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries(optionsOf(command)).map(([name, option]) => [flagOf(name, option), option.help]);
  return `Usage: svc-asr ${usageOf(command)} [OPTIONS]\n\n${command.summary}\n\nOptions:\n${indent(options)}`;
}

function usageOf({ words, args, options }: Command): string {
  const required = Object.entries(options).filter(([, option]) => option.required === true);
  return [...words, ...args, ...required.map(([name, option]) => flagOf(name, option))].join(' ');
}

function flagOf(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function indent(rows: readonly (readonly string[])[]): string {
  return formatTable(rows.map((row) => ['', ...row]));
}
