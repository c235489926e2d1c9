/**
 * Keeps the last few values that were read by key; readers of one key at the same time share one read. A read that fails
 * is not kept.
 */
export function recentlyUsed<Value>(
  capacity: number,
  read: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const kept = new Map<string, Promise<Value>>();
  return (key) => {
    const value = kept.get(key) ?? read(key);
    // A map remembers the order of insertion: what is put in anew is the youngest.
    kept.delete(key);
    kept.set(key, value);
    value.catch(() => {
      if (kept.get(key) === value) kept.delete(key);
    });
    for (const oldest of kept.keys()) {
      if (kept.size <= capacity) break;
      kept.delete(oldest);
    }
    return value;
  };
}
