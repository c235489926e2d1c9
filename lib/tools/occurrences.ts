/**
 * Calls `visit` with every place where a sequence begins in another, overlapping ones included, in order, until it answers
 * `false`. Linear in both whatever they hold (Knuth, Morris, Pratt): the search built into buffers can take the product of
 * the two lengths. An empty sequence begins nowhere.
 */
export const visitOccurrences = <T>(
  items: ArrayLike<T>,
  wanted: ArrayLike<T>,
  options: { readonly from?: number; readonly visit: (at: number) => boolean },
): void => {
  if (wanted.length === 0) return;
  const borders = borderLengths(wanted);
  let matched = 0;
  for (let at = options.from ?? 0; at < items.length; at += 1) {
    const item = items[at];
    while (matched > 0 && wanted[matched] !== item) matched = borders[matched - 1] ?? 0;
    if (wanted[matched] === item) matched += 1;
    if (matched < wanted.length) continue;
    if (!options.visit(at + 1 - wanted.length)) return;
    matched = borders[matched - 1] ?? 0;
  }
};

/** For each prefix the length of its longest proper border. */
const borderLengths = (wanted: ArrayLike<unknown>): Uint32Array => {
  const borders = new Uint32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (length > 0 && wanted[length] !== wanted[at]) length = borders[length - 1] ?? 0;
    if (wanted[length] === wanted[at]) length += 1;
    borders[at] = length;
  }
  return borders;
};

/** How often a sequence occurs, overlapping places included, and where first (-1: nowhere). */
export const occurrences = <T>(
  items: ArrayLike<T>,
  wanted: ArrayLike<T>,
): { count: number; first: number } => {
  let count = 0;
  let first = -1;
  visitOccurrences(items, wanted, {
    visit: (at) => {
      if (count === 0) first = at;
      count += 1;
      return true;
    },
  });
  return { count, first };
};
