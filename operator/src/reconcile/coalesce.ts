/**
 * Wraps a task so that its runs never overlap and serve many callers. A call during a run waits for one more run that
 * starts afterwards, and shares it with all other such calls.
 */
export function coalesce(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    running = task().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return start();
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
