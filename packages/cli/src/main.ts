import { EXIT } from './exit.ts';
import { runLine } from './run.ts';

// The reader of a pipe may close it early (`svc-asr … | head`), which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 2);
});

const status = await runLine(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt: (listener) => {
    // The listener handles only the first Ctrl-C. A second one ends the process.
    process.once('SIGINT', listener);
    return () => process.off('SIGINT', listener);
  },
});
// A stopped command may have pending work, such as a wait for a retry, which must not delay the exit.
if (status === EXIT.interrupted.status) process.exit(status);
process.exitCode = status;
