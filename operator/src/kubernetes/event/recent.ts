/** A map of limited size. When it is full, a new entry replaces the least recently used one. */
export interface Recent<V> {
  get: (key: string) => V | undefined;
  put: (key: string, value: V) => void;
}

/** Creates a map with at most `size` entries. */
export function createRecent<V>(size: number): Recent<V> {
  const entries = new Map<string, V>();
  const put = (key: string, value: V) => {
    entries.delete(key);
    entries.set(key, value);
    const [oldest] = entries.keys();
    if (entries.size > size && oldest !== undefined) entries.delete(oldest);
  };
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value !== undefined) put(key, value);
      return value;
    },
    put,
  };
}
