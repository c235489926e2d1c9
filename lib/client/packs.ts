/**
 * Cuts a list into runs whose sizes add up to at most `limit`; an item above the limit stands alone. Lazily, so that what
 * is packed need not be in memory before its turn.
 */
export function* packs<Item>(
  items: Iterable<Item>,
  options: {
    readonly limit: number;
    readonly most: number;
    readonly size: (item: Item) => number;
  },
): Generator<readonly Item[]> {
  let pack: Item[] = [];
  let used = 0;
  for (const item of items) {
    const size = options.size(item);
    if (pack.length > 0 && (used + size > options.limit || pack.length >= options.most)) {
      yield pack;
      pack = [];
      used = 0;
    }
    pack.push(item);
    used += size;
  }
  if (pack.length > 0) yield pack;
}
