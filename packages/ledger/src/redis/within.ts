import { LedgerUnavailable } from './link.ts';

/** The result of `work`, or LedgerUnavailable when it takes longer than `timeoutMs`; the work itself goes on. */
export function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new LedgerUnavailable(`Redis did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
