/** As a shell tells of what a signal ended: nothing was done, which must not be taken for success. */
const STATUS = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * Loads a program and runs it. A signal that comes while its modules are still being loaded ends it: the first process of a
 * container does not even notice one that it has no handler for, and would then run on for its whole grace period.
 * This file imports nothing, so that the handler is there first.
 */
export async function launch(load: () => Promise<{ run: () => Promise<void> }>): Promise<void> {
  const giveUp = (signal: keyof typeof STATUS) => process.exit(STATUS[signal]);
  process.on('SIGTERM', giveUp).on('SIGINT', giveUp);
  const { run } = await load();
  // It takes the signals over before it waits for anything; until then they are ours.
  const running = run();
  process.off('SIGTERM', giveUp).off('SIGINT', giveUp);
  await running;
}
