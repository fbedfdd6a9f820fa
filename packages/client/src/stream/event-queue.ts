import { createDeferred } from './deferred.ts';
import type { Deferred } from './deferred.ts';

/** Events between the one who has them and the one who iterates over them. */
export interface EventQueue<E> {
  push: (event: E) => void;
  /** No more events come. Readers get what is there, then the error or the end. */
  end: (error?: Error) => void;
  iterate: () => AsyncIterableIterator<E>;
}

/** A queue whose every event goes to one reader, in order. Leaving a loop ends nothing: another one goes on. */
export function createEventQueue<E>(): EventQueue<E> {
  const waiting: E[] = [];
  const readers: Deferred<IteratorResult<E>>[] = [];
  let ended: { error: Error | undefined } | undefined;

  function next(): Promise<IteratorResult<E>> {
    const event = waiting.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (ended?.error !== undefined) return Promise.reject(ended.error);
    if (ended !== undefined) return Promise.resolve({ done: true, value: undefined });
    const reader = createDeferred<IteratorResult<E>>();
    readers.push(reader);
    return reader.promise;
  }

  return {
    push: (event) => {
      const reader = readers.shift();
      if (reader === undefined) waiting.push(event);
      else reader.resolve({ done: false, value: event });
    },
    end: (error) => {
      ended = { error };
      for (const reader of readers.splice(0)) {
        if (error === undefined) reader.resolve({ done: true, value: undefined });
        else reader.reject(error);
      }
    },
    iterate: () => {
      const iterator: AsyncIterableIterator<E> = {
        next,
        return: () => Promise.resolve({ done: true, value: undefined }),
        [Symbol.asyncIterator]: () => iterator,
      };
      return iterator;
    },
  };
}
