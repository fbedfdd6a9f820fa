import type { Command, Option } from './command.ts';
import { EXIT } from './exit.ts';
import { optionsOf } from './parse.ts';
import { formatList } from './table.ts';
import { wrapText } from '@svc-asr/core/subtitles';

/** Width of the help. */
const COLUMNS = 80;

const ENVIRONMENT = [
  ['SVC_ASR_API_KEY', 'API key'],
  ['SVC_ASR_ADMIN_TOKEN', 'admin token'],
  ['SVC_ASR_ADMIN_TOKEN_FILE', 'file that contains the admin token'],
  ['SVC_ASR_BASE_URL', 'default of --base-url'],
  ['SVC_ASR_ADMIN_URL', 'default of --admin-url'],
  ['SVC_ASR_CA_FILE', 'default of --ca'],
  ['SVC_ASR_PROFILE', 'profile that is used instead of local.json'],
  ['SVC_ASR_HOME', 'folder of local.json, which `npm start` writes (default: the nearest .svc-asr)'],
] as const;

/** Returns the help of a command group, for example `admin keys`. */
export function groupHelp(commands: readonly Command[], words: readonly string[]): string {
  const members = commands.filter((command) => words.every((word, at) => command.words[at] === word));
  const section = (title: string, part: readonly Command[]) =>
    part.length === 0 ? '' : `${title}:\n${indent(part.map((command) => [nameOf(command), command.summary]))}\n`;
  const isAdmin = ({ api }: Command) => api === 'admin';
  return [
    `Usage: svc-asr ${[...words, 'COMMAND'].join(' ')} [OPTIONS]\n\n`,
    section(
      'Commands',
      members.filter((command) => !isAdmin(command)),
    ),
    section('Admin commands, which need an admin token', members.filter(isAdmin)),
    'Run "svc-asr COMMAND --help" for the options of a command.\n',
    words.length === 0 ? 'Run "svc-asr --version" for the version.\n' : '',
    '\nEnvironment variables:\n',
    indent(ENVIRONMENT),
    '\nExit status:\n',
    indent(Object.values(EXIT).map(({ status, meaning }) => [String(status), meaning])),
  ].join('');
}

/** Returns the help of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries(optionsOf(command)).map(([name, option]): [string, string] => [
    option.short === undefined ? flagOf(name, option) : `-${option.short}, ${flagOf(name, option)}`,
    option.help,
  ]);
  const examples = (command.examples ?? []).map((example) => `  ${example}\n`).join('');
  return [
    `Usage: svc-asr ${usageOf(command)} [OPTIONS]\n\n${wrapText(command.summary, COLUMNS).join('\n')}\n\n`,
    examples === '' ? '' : `Examples:\n${examples}\n`,
    `Options:\n${indent(options)}`,
  ].join('');
}

function nameOf({ words, args }: Command): string {
  return [...words, ...args].join(' ');
}

function usageOf(command: Command): string {
  const required = Object.entries(command.options).filter(([, option]) => option.required === true);
  return [nameOf(command), ...required.map(([name, option]) => flagOf(name, option))].join(' ');
}

function flagOf(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function indent(rows: readonly (readonly [string, string])[]): string {
  return formatList(rows, COLUMNS, 2);
}
