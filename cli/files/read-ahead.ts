/**
 * Reads one after another, in their order, with so many begun before they are asked for: what lies at the service does not cost
 * its way there and back each time. A read that failed is told when its turn comes.
 */
export function readAhead<Value>(reads: readonly (() => Promise<Value>)[], ahead = 8): () => Promise<Value> {
  const begun: Promise<Value>[] = [];
  let next = 0;
  const begin = () => {
    for (; next < reads.length && begun.length < ahead; next += 1) {
      const value = reads[next]?.();
      if (value === undefined) continue;
      value.catch(() => undefined);
      begun.push(value);
    }
  };
  return () => {
    begin();
    const value = begun.shift() ?? Promise.reject(new Error("everything has been read"));
    begin();
    return value;
  };
}
