import { LedgerUnavailable } from './link.ts';
import type { ReplyPacer } from './reply-pacer.ts';

const atOnce: ReplyPacer = (handOn) => handOn();

/** The result of `work`, or LedgerUnavailable when it takes longer than `timeoutMs`; the work itself goes on. */
export function within<T>(work: Promise<T>, timeoutMs: number, turns: ReplyPacer = atOnce): Promise<T> {
  return new Promise((resolve, reject) => {
    let answered = false;
    const late = () => {
      // An answer that waits for its turn is one.
      if (!answered) reject(new LedgerUnavailable(`Redis did not answer within ${timeoutMs} ms`));
    };
    // When this process itself was held up, the answer may be waiting in the socket: it is read before the verdict.
    const timer = setTimeout(() => setImmediate(() => setImmediate(late)), timeoutMs);
    work.then(
      (value) => {
        answered = true;
        clearTimeout(timer);
        turns(() => resolve(value));
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
