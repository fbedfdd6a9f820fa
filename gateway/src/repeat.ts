/**
 * Does something at once and then again `intervalMs` after each time it ended. A failure is the next turn's business:
 * what is repeated here depends on Redis, whose absence is told once by the connection. Returns how to stop.
 */
export function repeat(intervalMs: number, work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const turn = async () => {
    try {
      await work();
    } catch {
      // Tried again at the next turn.
    }
    if (!stopped) timer = setTimeout(() => void turn(), intervalMs);
  };
  void turn();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
