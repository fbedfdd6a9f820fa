import { runLine } from './run.ts';

// The reader of a pipe may go before the end (`svc-asr … | head`): that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 2);
});

process.exitCode = await runLine(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt: (listener) => {
    // Once: a second Ctrl-C ends the process, as people expect.
    process.once('SIGINT', listener);
    return () => process.off('SIGINT', listener);
  },
});
