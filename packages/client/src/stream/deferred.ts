/** A promise with the functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a promise that is settled from outside. A rejection that is not handled is not reported. */
export function createDeferred<T>(): Deferred<T> {
  let [resolve, reject]: [Deferred<T>['resolve'], Deferred<T>['reject']] = [() => undefined, () => undefined];
  const promise = new Promise<T>((onValue, onError) => {
    [resolve, reject] = [onValue, onError];
  });
  return { promise: tolerated(promise), resolve, reject };
}

/** Marks a promise so that an unhandled rejection is not reported. */
export function tolerated<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
