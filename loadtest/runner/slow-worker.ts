import { isOurs, openRecords } from '../../operator/src/workers/process/records.ts';

/**
 * Suspends and resumes worker processes in turn, so that they run for only a part of the time. Returns a function that
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
