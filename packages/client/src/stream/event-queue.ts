import { createDeferred } from './deferred.ts';
import type { Deferred } from './deferred.ts';

/** Buffers events until they are read. */
export interface EventQueue<E> {
  push: (event: E) => void;
  /** Call after the last event. Readers receive the remaining events, then the error or the end. */
  end: (error?: Error) => void;
  iterate: () => AsyncIterableIterator<E>;
}

/**
 * Creates a queue that delivers each event to one reader, in order. A reader that breaks out of its loop does not end
 * the queue.
 */
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
