import { isOurs, openRecords } from '../../operator/src/workers/process/records.ts';

/**
 * Suspends all worker processes for `stopMs` and resumes them for `runMs`, again and again. Returns a function that
 * ends the slowdown.
 */
export function slowWorkers(recordFolder: string, stopMs: number, runMs: number): () => void {
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const worker of openRecords(recordFolder).read().filter(isOurs)) {
      try {
        process.kill(worker.pid, name);
      } catch {
        // The worker has ended before the signal was sent.
      }
    }
  };
  let timer: NodeJS.Timeout;
  const stop = () => {
    signal('SIGSTOP');
    timer = setTimeout(resume, stopMs);
  };
  const resume = () => {
    signal('SIGCONT');
    timer = setTimeout(stop, runMs);
  };
  stop();
  return () => {
    clearTimeout(timer);
    signal('SIGCONT');
  };
}
