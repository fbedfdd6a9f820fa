import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** State of data that a page reads. While the page reads the data again, `data` keeps the earlier value. */
export interface Loaded<T> {
  readonly data: T | undefined;
  /** Error of the last attempt. */
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => Promise<void>;
}

/**
 * Reads data when the component appears and whenever `key` changes. An answer is dropped if a newer request was sent
 * before the answer arrived.
 */
export function useLoad<T>(key: string, read: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const newest = useRef(0);
  const reader = useRef(read);
  reader.current = read;

  const reload = useCallback(async () => {
    const attempt = ++newest.current;
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    let next: { data: T } | { error: unknown };
    try {
      next = { data: await reader.current() };
    } catch (error) {
      next = { error };
    }
    if (attempt !== newest.current) return;
    setState((before) => {
      const kept = 'error' in next && before.key === key && before.data !== undefined ? { data: before.data } : {};
      return { key, ...kept, ...next, isLoading: false };
    });
  }, [key]);

  useEffect(() => {
    void reload();
    return () => {
      newest.current++;
    };
  }, [reload]);

  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: state.isLoading || !isCurrent,
    reload,
  };
}

/** Calls a function at an interval while the page is visible. */
export function useInterval(intervalMs: number, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
}
