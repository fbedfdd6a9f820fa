import { styleText } from 'node:util';
import { messageOf, userPath } from '../launch/terminal.mjs';
import { startAll } from '../start/run.ts';
import type { Teardown } from '../start/run.ts';
import { buildWelcome } from '../start/welcome.ts';
import type { Show } from '../supervise/fleet.ts';
import { ProgramDied } from '../supervise/program.ts';

const USAGE = `npm start [-- --observe] runs the whole service on this machine.

  --observe   also serves a page on 127.0.0.1 that shows live telemetry

Environment variables set everything else: PORT, CONSOLE_PORT, OBSERVE_PORT, HOST, SVC_ASR_HOME, REDIS_URL and every
setting in docs/settings.md. See docs/running-locally.md.
`;

/** The terminal, npm and the launcher may each forward the same Ctrl-C. Signals within this time count as one. */
const SAME_SIGNAL_MS = 1000;
const MARKS = { info: ['»', undefined], warn: ['!', 'yellow'], error: ['✗', 'red'] } as const;

const show: Show = (level, text) => {
  const [mark, colour] = MARKS[level];
  const line = `${mark} ${text}`;
  // styleText omits colours if stderr is not a terminal or if NO_COLOR is set.
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
    show('warn', 'killing all programs');
    teardown.kill();
    process.exit(1);
  }
}

async function main(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => requestStop(signal));
  // Writing to a closed terminal fails. The errors are ignored, so that all programs are stopped in this case too.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
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
    const installation = await startAll(options, (own) => (teardown = own));
    const strong = (text: string) => styleText('bold', text, { stream: process.stdout });
    process.stdout.write(`${buildWelcome(installation, userPath('.'), strong)}\n`);
    await stopped;
  } catch (error) {
    if (!stopping.signal.aborted) {
      status = 1;
      if (error instanceof ProgramDied) for (const line of error.tail) process.stderr.write(`  ${line}\n`);
      show('error', messageOf(error));
    }
  }
  await teardown.stop();
  if (status === 0) show('info', 'stopped');
  return status;
}

if (process.argv.slice(2).some((argument) => argument !== '--observe')) {
  process.stderr.write(USAGE);
  process.exit(process.argv[2] === '--help' ? 0 : 1);
}
process.exit(await main());
