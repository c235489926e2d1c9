/**
 * `Promise.all` over `items` with at most `limit` under way at once; results in the order of the items. After the first
 * fault none is begun, and the fault is thrown once none is under way any more.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  let failed = false;
  const work = async () => {
    for (const [index, item] of entries) {
      if (failed) return;
      try {
        results[index] = await map(item);
      } catch (fault) {
        failed = true;
        throw fault;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, work));
  for (const worker of workers) if (worker.status === "rejected") throw worker.reason;
  return results;
}
