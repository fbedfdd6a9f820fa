/** A promise and the means to settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** A promise to be settled from outside. That nobody waits for it when it fails is no error. */
export function createDeferred<T>(): Deferred<T> {
  let [resolve, reject]: [Deferred<T>['resolve'], Deferred<T>['reject']] = [() => undefined, () => undefined];
  const promise = new Promise<T>((onValue, onError) => {
    [resolve, reject] = [onValue, onError];
  });
  return { promise: tolerated(promise), resolve, reject };
}

/** The same promise, of which a failure may stay unheard. */
export function tolerated<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
