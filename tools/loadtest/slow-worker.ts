import { isOurs, openRecords } from '../../operator/src/workers/process/records.ts';

/** Stops and continues worker processes in turn, so that they have only a share of their time; answers with its end. */
export function slowWorkers(recordFolder: string, stopMs: number, runMs: number): () => void {
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const worker of openRecords(recordFolder).read().filter(isOurs)) {
      try {
        process.kill(worker.pid, name);
      } catch {
        // It ended between the look and the signal.
      }
    }
  };
  let timer: NodeJS.Timeout;
  const hold = () => {
    signal('SIGSTOP');
    timer = setTimeout(release, stopMs);
  };
  const release = () => {
    signal('SIGCONT');
    timer = setTimeout(hold, runMs);
  };
  hold();
  return () => {
    clearTimeout(timer);
    signal('SIGCONT');
  };
}
