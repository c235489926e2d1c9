/** Everything that an asynchronous iteration gives, in order. */
export async function collected<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) {
    all.push(value);
  }
  return all;
}
