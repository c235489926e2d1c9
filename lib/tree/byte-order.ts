/**
 * Order of two strings by the bytes of their UTF-8 form, as git sorts names. JavaScript's own `<` compares UTF-16 units
 * and puts U+10000 and above before U+E000–U+FFFF; this does not.
 */
export const byteOrder = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
};

/** Surrogates (halves of U+10000 and above) rank behind every other unit. */
const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
