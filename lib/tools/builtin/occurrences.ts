/**
 * Where a text begins in some bytes, overlapping places included. Linear in both whatever they hold (Knuth, Morris, Pratt):
 * the search built into buffers can take the product of the two lengths.
 */
export const occurrences = (bytes: Uint8Array, text: Uint8Array): { count: number; first: number } => {
  const borders = borderLengths(text);
  let count = 0;
  let first = -1;
  let matched = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    while (matched > 0 && text[matched] !== byte) matched = borders[matched - 1] ?? 0;
    if (text[matched] === byte) matched += 1;
    if (matched < text.length) continue;
    if (count === 0) first = at + 1 - text.length;
    count += 1;
    matched = borders[matched - 1] ?? 0;
  }
  return { count, first };
};

/** For each prefix the length of its longest proper border. */
const borderLengths = (text: Uint8Array): Uint32Array => {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text[length] !== text[at]) length = borders[length - 1] ?? 0;
    if (text[length] === text[at]) length += 1;
    borders[at] = length;
  }
  return borders;
};
