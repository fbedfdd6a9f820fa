import { readFileSync } from 'node:fs';
import type { Command, Invocation, Stdin, Stdout } from './command.ts';
import { APPLICATION_COMMANDS } from './commands/applications.ts';
import { AUDIT_COMMANDS } from './commands/audit.ts';
import { createCompletionCommand } from './commands/completion.ts';
import { JOURNAL_COMMANDS } from './commands/journal.ts';
import { KEY_COMMANDS } from './commands/keys.ts';
import { LEDGER_COMMANDS } from './commands/ledger.ts';
import { PLATFORM_COMMANDS } from './commands/platform.ts';
import { SERVICE_COMMANDS } from './commands/service.ts';
import { STREAM_COMMANDS } from './commands/stream.ts';
import { TENANT_COMMANDS } from './commands/tenants.ts';
import { USAGE_COMMANDS } from './commands/usage.ts';
import { adminEndpoint, publicEndpoint } from './endpoint.ts';
import { EXIT, explain, InterruptedError, UsageError } from './exit.ts';
import { commandHelp, groupHelp } from './help.ts';
import { createOutput } from './output.ts';
import { findCommand, parseLine } from './parse.ts';
import type { ParsedLine } from './parse.ts';
import { readProfile } from './profile.ts';
import { readLocalFile } from './sources.ts';
import type { Sources } from './sources.ts';
import { suggest } from './suggest.ts';

export const COMMANDS: readonly Command[] = [
  ...STREAM_COMMANDS,
  ...SERVICE_COMMANDS,
  ...KEY_COMMANDS,
  ...TENANT_COMMANDS,
  ...APPLICATION_COMMANDS,
  ...JOURNAL_COMMANDS,
  ...USAGE_COMMANDS,
  ...LEDGER_COMMANDS,
  ...AUDIT_COMMANDS,
  ...PLATFORM_COMMANDS,
  createCompletionCommand(() => COMMANDS),
];

/** Largest number of words in the name of a command. */
const MAX_WORDS = 3;

/** Environment and streams of the process. */
export interface ProcessContext {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: Stdin;
  stdout: Stdout;
  stderr: Stdout;
  onInterrupt: Invocation['onInterrupt'];
}

/**
 * Runs one command line and returns the exit status. Ctrl-C ends the command at once, unless the command handles
 * Ctrl-C. After an end by Ctrl-C, work of the command may still be pending.
 */
export async function runLine(line: readonly string[], context: ProcessContext): Promise<number> {
  const { stdout, stderr, env } = context;
  const interrupt = watchInterrupts(context.onInterrupt);
  try {
    await Promise.race([run(line, { ...context, onInterrupt: interrupt.onInterrupt }), interrupt.interrupted]);
    return EXIT.ok.status;
  } catch (error) {
    // The terminal shows ^C, and a line of progress may be incomplete.
    if (error instanceof InterruptedError && stderr.isTTY === true) stderr.write('\n');
    const { status, message, code, details } = explain(error);
    const output = createOutput(stdout, stderr, env);
    if (line.includes('--json')) output.noteJson({ error: { code, message, exit_status: status, ...details } });
    else output.note(`svc-asr: ${message}`);
    return status;
  } finally {
    interrupt.release();
  }
}

/** Watches for Ctrl-C. `interrupted` rejects at Ctrl-C if the command has no listener for it. */
function watchInterrupts(listen: Invocation['onInterrupt']) {
  const listeners = new Set<() => void>();
  let release: () => void = () => undefined;
  const interrupted = new Promise<never>((_resolve, reject) => {
    release = listen(() => {
      if (listeners.size === 0) reject(new InterruptedError('stopped with Ctrl-C'));
      for (const listener of listeners) listener();
    });
  });
  const onInterrupt: Invocation['onInterrupt'] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return { interrupted, onInterrupt, release: () => release() };
}

async function run(line: readonly string[], context: ProcessContext): Promise<void> {
  const { stdout } = context;
  if (line[0] === '--version' || line[0] === '-V') {
    stdout.write(`svc-asr ${version()}\n`);
    return;
  }
  const found = findCommand(COMMANDS, line);
  if (found === undefined) {
    stdout.write(helpForGroup(line));
    return;
  }
  const parsed = parseLine(found.command, found.rest);
  if (parsed.switches.has('help')) stdout.write(commandHelp(found.command));
  else await found.command.run(invocationOf(parsed, context));
}

/** Returns the help of a command group. Throws if the line names no group or does not request help. */
function helpForGroup(line: readonly string[]): string {
  const words = line.filter((word) => !['--help', '-h', 'help'].includes(word));
  // `svc-asr help transcribe` shows the help of a command.
  const found = line[0] === 'help' ? findCommand(COMMANDS, words) : undefined;
  if (found !== undefined) return commandHelp(found.command);
  const isGroup = COMMANDS.some((command) => words.every((word, at) => command.words[at] === word));
  if (isGroup && words.length < line.length) return groupHelp(COMMANDS, words);
  const group = isGroup && words.length > 0 ? `svc-asr ${words.join(' ')}` : 'svc-asr';
  const similar = isGroup ? undefined : suggestCommand(words);
  const hint = similar === undefined ? '' : ` Did you mean \`svc-asr ${similar}\`?`;
  throw new UsageError(`unknown command.${hint} Run \`${group} --help\` for a list of commands`);
}

/** Returns the command whose name is similar to the first words of a line. Arguments may follow them. */
function suggestCommand(words: readonly string[]): string | undefined {
  const names = COMMANDS.map((command) => command.words);
  for (let length = MAX_WORDS; length > 0; length--) {
    const fitting = names.filter((name) => name.length === length).map((name) => name.join(' '));
    const similar = words.length < length ? undefined : suggest(words.slice(0, length).join(' '), fitting);
    if (similar !== undefined) return similar;
  }
  return undefined;
}

/** Returns the version of the command. */
function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/**
 * Returns the configuration. With --profile, the environment variables do not apply, because their API key may be for
 * another service.
 */
function sourcesOf(option: Invocation['option'], { env, cwd }: ProcessContext): Sources {
  const flags = { baseUrl: option('base-url'), adminUrl: option('admin-url'), ca: option('ca') };
  const profile = option('profile');
  if (profile !== undefined) return { flags, env: {}, file: readProfile(profile, env) };
  const usual = env.SVC_ASR_PROFILE ?? '';
  return { flags, env, file: usual === '' ? readLocalFile(env, cwd) : readProfile(usual, env) };
}

function invocationOf({ values, switches, args, rest }: ParsedLine, context: ProcessContext): Invocation {
  const { env, cwd, stdin, stdout, stderr, onInterrupt } = context;
  const option = (name: string) => values[name]?.at(-1);
  const sources = () => sourcesOf(option, context);
  return {
    argument: (name) => args[name] ?? '',
    rest,
    option,
    options: (name) => values[name] ?? [],
    has: (name) => switches.has(name),
    json: switches.has('json'),
    output: createOutput(stdout, stderr, env),
    stdin,
    stdout,
    stderr,
    env,
    cwd,
    onInterrupt,
    publicEndpoint: () => publicEndpoint(sources()),
    adminEndpoint: () => adminEndpoint(sources()),
  };
}
