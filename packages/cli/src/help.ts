import type { Command, Option } from './command.ts';
import { EXIT } from './exit.ts';
import { optionsOf } from './parse.ts';
import { formatTable } from './table.ts';

const ENVIRONMENT = [
  ['SVC_ASR_API_KEY', 'API key'],
  ['SVC_ASR_ADMIN_TOKEN', 'admin token'],
  ['SVC_ASR_ADMIN_TOKEN_FILE', 'file that contains the admin token'],
  ['SVC_ASR_BASE_URL', 'default of --base-url'],
  ['SVC_ASR_ADMIN_URL', 'default of --admin-url'],
  ['SVC_ASR_CA_FILE', 'default of --ca'],
  ['SVC_ASR_HOME', 'folder of local.json, which `npm start` writes (default: the nearest .svc-asr)'],
] as const;

/** Returns the help of a command group, for example `admin keys`. */
export function groupHelp(commands: readonly Command[], words: readonly string[]): string {
  const members = commands.filter((command) => words.every((word, at) => command.words[at] === word));
  return [
    `Usage: svc-asr ${[...words, 'COMMAND'].join(' ')} [FLAGS]\n\nCommands:\n`,
    indent(members.map((command) => [usageOf(command), command.summary])),
    '\nUse "svc-asr COMMAND --help" for more information about a command.\n\nEnvironment variables:\n',
    indent(ENVIRONMENT),
    '\nExit status:\n',
    indent(Object.values(EXIT).map(({ status, meaning }) => [String(status), meaning])),
  ].join('');
}

/** Returns the help of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries(optionsOf(command)).map(([name, option]) => [flagOf(name, option), option.help]);
  const examples = (command.examples ?? []).map((example) => `  ${example}\n`).join('');
  return [
    `Usage: svc-asr ${usageOf(command)} [FLAGS]\n\n${command.summary}\n\n`,
    examples === '' ? '' : `Examples:\n${examples}\n`,
    `Flags:\n${indent(options)}`,
  ].join('');
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
