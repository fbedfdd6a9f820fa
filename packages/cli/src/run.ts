import type { Readable } from 'node:stream';
import type { Command, Invocation, Stdout } from './command.ts';
import { APPLICATION_COMMANDS } from './commands/applications.ts';
import { JOURNAL_COMMANDS } from './commands/journal.ts';
import { KEY_COMMANDS } from './commands/keys.ts';
import { LEDGER_COMMANDS } from './commands/ledger.ts';
import { SERVICE_COMMANDS } from './commands/service.ts';
import { STREAM_COMMANDS } from './commands/stream.ts';
import { TENANT_COMMANDS } from './commands/tenants.ts';
import { USAGE_COMMANDS } from './commands/usage.ts';
import { adminEndpoint, publicEndpoint } from './endpoint.ts';
import { EXIT, explain, UsageError } from './exit.ts';
import { commandHelp, groupHelp } from './help.ts';
import { createOutput } from './output.ts';
import { findCommand, parseLine } from './parse.ts';
import type { ParsedLine } from './parse.ts';
import { readLocalFile } from './sources.ts';
import type { Sources } from './sources.ts';

export const COMMANDS: readonly Command[] = [
  ...STREAM_COMMANDS,
  ...SERVICE_COMMANDS,
  ...KEY_COMMANDS,
  ...TENANT_COMMANDS,
  ...APPLICATION_COMMANDS,
  ...JOURNAL_COMMANDS,
  ...USAGE_COMMANDS,
  ...LEDGER_COMMANDS,
];

/** Environment and streams of the process. */
export interface ProcessContext {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: Readable;
  stdout: Stdout;
  stderr: NodeJS.WritableStream;
  onInterrupt: Invocation['onInterrupt'];
}

/** Runs one command line and returns the exit status. */
export async function runLine(line: readonly string[], context: ProcessContext): Promise<number> {
  const { stdout, stderr, env } = context;
  try {
    await run(line, context);
    return EXIT.ok.status;
  } catch (error) {
    const { status, message } = explain(error);
    createOutput(stdout, stderr, env).note(`svc-asr: ${message}`);
    return status;
  }
}

async function run(line: readonly string[], context: ProcessContext): Promise<void> {
  const { stdout } = context;
  const found = findCommand(COMMANDS, line);
  if (found === undefined) {
    stdout.write(helpForGroup(line));
    return;
  }
  const parsed = parseLine(found.command, found.rest);
  if (parsed.switches.has('help')) stdout.write(commandHelp(found.command));
  else await found.command.run(invocationOf(parsed, context));
}

/** Returns the help of a command group. Throws if the line names no group or does not contain `--help`. */
function helpForGroup(line: readonly string[]): string {
  const words = line.filter((word) => !['--help', '-h', 'help'].includes(word));
  const isGroup = COMMANDS.some((command) => words.every((word, at) => command.words[at] === word));
  if (isGroup && words.length < line.length) return groupHelp(COMMANDS, words);
  const group = isGroup && words.length > 0 ? `svc-asr ${words.join(' ')}` : 'svc-asr';
  throw new UsageError(`unknown command. Run \`${group} --help\` for a list of commands`);
}

function invocationOf({ values, switches, args }: ParsedLine, context: ProcessContext): Invocation {
  const { env, cwd, stdin, stdout, stderr, onInterrupt } = context;
  const option = (name: string) => values[name]?.at(-1);
  const sources = (): Sources => ({
    flags: { baseUrl: option('base-url'), adminUrl: option('admin-url'), ca: option('ca') },
    env,
    file: readLocalFile(env, cwd),
  });
  return {
    argument: (name) => args[name] ?? '',
    option,
    options: (name) => values[name] ?? [],
    has: (name) => switches.has(name),
    json: switches.has('json'),
    output: createOutput(stdout, stderr, env),
    stdin,
    stdout,
    env,
    cwd,
    onInterrupt,
    publicEndpoint: () => publicEndpoint(sources()),
    adminEndpoint: () => adminEndpoint(sources()),
  };
}
