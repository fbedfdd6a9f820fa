import { styleText } from 'node:util';
import { startAll, workingFolder } from '../start/run.ts';
import type { Teardown } from '../start/run.ts';
import { buildWelcome } from '../start/welcome.ts';
import type { Show } from '../supervise/fleet.ts';
import { ProgramDied } from '../supervise/program.ts';

/** One Ctrl-C may arrive several times (from the terminal, from npm, from the launcher): it counts once. */
const SAME_SIGNAL_MS = 1000;
const MARKS = { info: '»', warn: '!', error: '✗' } as const;
const COLOURS = { info: undefined, warn: 'yellow', error: 'red' } as const;

const show: Show = (level, text) => {
  const colour = COLOURS[level];
  const line = `${MARKS[level]} ${text}`;
  // Without a terminal, or with NO_COLOR set, nothing is coloured.
  process.stderr.write(`${colour === undefined ? line : styleText(colour, line, { stream: process.stderr })}\n`);
};

let teardown: Teardown = { stop: () => Promise.resolve(), kill: () => undefined };
const stopping = new AbortController();
let stopRequestedAt: number | undefined;

function requestStop(reason: string): void {
  if (stopRequestedAt === undefined) {
    stopRequestedAt = performance.now();
    show('info', `stopping (${reason})`);
    stopping.abort();
  } else if (performance.now() - stopRequestedAt > SAME_SIGNAL_MS) {
    show('warn', 'ending at once');
    teardown.kill();
    process.exit(1);
  }
}

async function main(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => requestStop(signal));
  // A terminal that was closed takes no more output; everything has to be stopped all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // The launcher ended and cannot forward signals any more.
  process.on('disconnect', () => requestStop('the launcher ended'));
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  let status = 0;
  try {
    const options = {
      env: process.env,
      node: process.env.SVC_ASR_NODE ?? process.execPath,
      show,
      signal: stopping.signal,
      observe: process.argv.includes('--observe'),
    };
    const { home, local, observeUrl } = await startAll(options, (own) => (teardown = own));
    const welcome = {
      baseUrl: local.base_url,
      consoleUrl: local.console_url,
      adminUrl: local.admin_url,
      caFile: local.ca_file,
      apiKey: local.api_key,
      homePath: home.path,
      observeUrl,
      workingFolder: workingFolder(process.env),
    };
    process.stdout.write(`${buildWelcome(welcome, (text) => styleText('bold', text, { stream: process.stdout }))}\n`);
    await stopped;
  } catch (error) {
    if (!stopping.signal.aborted) {
      status = 1;
      report(error);
    }
  }
  await teardown.stop();
  if (status === 0) show('info', 'stopped');
  return status;
}

function report(error: unknown): void {
  if (error instanceof ProgramDied) for (const line of error.tail) process.stderr.write(`  ${line}\n`);
  show('error', error instanceof Error ? error.message : String(error));
}

const USAGE = `npm start [-- --observe] runs the whole service on this machine.

  --observe   also serves a page on 127.0.0.1 that shows live what it does

What else can be set is set by environment variables: PORT, CONSOLE_PORT, OBSERVE_PORT, HOST, SVC_ASR_HOME, REDIS_URL and
every setting of docs/settings.md. See docs/running-locally.md.
`;

if (process.argv.slice(2).some((argument) => argument !== '--observe')) {
  process.stderr.write(USAGE);
  process.exit(process.argv[2] === '--help' ? 0 : 1);
}
process.exit(await main());
