/** Deletes the entry that was added first, if a map has more than `max` entries. Call after each added entry. */
export function evictOldest(map: Map<string, unknown>, max: number): void {
  if (map.size <= max) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
