/**
 * Exit status of a shell for a process that a signal ended. It must not look like success, because nothing was done.
 */
const STATUS = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * Loads a program and runs it. A signal that arrives while modules are still loading ends the process. Without a
 * handler, the first process of a container would ignore it and run for its whole grace period. This file has no
 * imports, so that the handler is installed first. The pods share a PID namespace, which covers the start of Node.
 */
export async function launch(load: () => Promise<{ run: () => Promise<void> }>): Promise<void> {
  const exit = (signal: keyof typeof STATUS) => process.exit(STATUS[signal]);
  process.on('SIGTERM', exit).on('SIGINT', exit);
  const { run } = await load();
  // The program installs its own handlers before its first await. Until then these handlers are active.
  const running = run();
  process.off('SIGTERM', exit).off('SIGINT', exit);
  await running;
}
