import { createDeferred } from '../stream/deferred.ts';

/** Lets a loop wait until other code calls `notify`. */
export class ChangeSignal {
  #next = createDeferred<undefined>();

  /** Resolves at the next call of `notify`. */
  wait(): Promise<undefined> {
    return this.#next.promise;
  }

  notify(): void {
    const current = this.#next;
    this.#next = createDeferred<undefined>();
    current.resolve(undefined);
  }
}
