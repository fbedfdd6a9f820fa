import { LedgerUnavailable } from './link.ts';
import type { ReplyPacer } from './reply-pacer.ts';

const atOnce: ReplyPacer = (deliver) => deliver();

/** Returns the result of `work`. Rejects with LedgerUnavailable after `timeoutMs`, while the work itself continues. */
export function within<T>(work: Promise<T>, timeoutMs: number, pacer: ReplyPacer = atOnce): Promise<T> {
  return new Promise((resolve, reject) => {
    let answered = false;
    const late = () => {
      // An answer that has arrived is in time, even if `pacer` has not called `resolve` yet.
      if (!answered) reject(new LedgerUnavailable(`Redis did not answer within ${timeoutMs} ms`));
    };
    // If this process was blocked, the answer may be waiting in the socket. Two more turns of the event loop read it
    // first.
    const timer = setTimeout(() => setImmediate(() => setImmediate(late)), timeoutMs);
    work.then(
      (value) => {
        answered = true;
        clearTimeout(timer);
        pacer(() => resolve(value));
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
