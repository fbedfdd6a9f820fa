/**
 * Exit statuses that a shell reports for a process that a signal has ended. They must differ from 0, because the
 * program has not run.
 */
const STATUS = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * Loads a program and runs it. A signal that arrives while modules are still loading ends the process. Without a
 * handler, the first process of a container would ignore the signal and run until the grace period ends. This file has
 * no imports, so that the handler is installed before anything is loaded. While Node itself starts, there is no
 * handler. The containers of a pod therefore share a PID namespace, in which the process is not the first one.
 */
export async function launch(load: () => Promise<{ run: () => Promise<void> }>): Promise<void> {
  const exit = (signal: keyof typeof STATUS) => process.exit(STATUS[signal]);
  process.on('SIGTERM', exit).on('SIGINT', exit);
  const { run } = await load();
  // The program installs its own handlers before its first await. The handlers of this function are active until then.
  const running = run();
  process.off('SIGTERM', exit).off('SIGINT', exit);
  await running;
}
