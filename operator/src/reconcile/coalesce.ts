/**
 * Makes a task that is never beside itself and serves many callers at once: a call while it runs waits for one more
 * run that begins afterwards, and shares it with every other such call.
 */
export function coalesce(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    running = task().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return begin();
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
}
