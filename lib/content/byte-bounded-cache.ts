/** Values of a process by key, the longest unused dropped first once together they weigh more than `maxBytes`. */
export interface ByteBoundedCache<V> {
  get(key: string): V | undefined;
  /** Keeps `value`, unless it alone weighs more than an eighth of the whole. */
  set(key: string, value: V, sizeBytes: number): void;
}

export function byteBoundedCache<V>(maxBytes: number): ByteBoundedCache<V> {
  // A map keeps the order of insertion: the first is the longest unused.
  const entries = new Map<string, { readonly value: V; readonly sizeBytes: number }>();
  let heldBytes = 0;
  const drop = (key: string) => {
    heldBytes -= entries.get(key)?.sizeBytes ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, sizeBytes) {
      drop(key);
      if (sizeBytes > maxBytes / 8) return;
      entries.set(key, { value, sizeBytes });
      heldBytes += sizeBytes;
      for (const oldest of entries.keys()) {
        if (heldBytes <= maxBytes) return;
        drop(oldest);
      }
    },
  };
}
