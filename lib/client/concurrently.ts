/** Runs a task for each item, at most `limit` at once, taking items as places get free. The first failure ends it. */
export async function concurrently<Item>(
  items: Iterable<Item>,
  limit: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    for (let next = queue.next(); !failed && next.done !== true; next = queue.next()) {
      try {
        await task(next.value);
      } catch (fault) {
        failed = true;
        throw fault;
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
