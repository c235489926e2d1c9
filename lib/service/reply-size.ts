/** Of JSON on one page: well below what a function may give back. */
export const pageMaximumBytes = 3 * 1024 * 1024;

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const keptCharacters = 4096;

/** A tool call's input, or, of a long one, which stands in the plan, its size. */
export const shortInput = (input: unknown): unknown => {
  const { length } = JSON.stringify(input);
  return length <= keptCharacters ? input : { leftOut: `${length} characters of input` };
};

/** The beginning of a long text; `truncated` says that there was more. */
export const shortText = (text: string): { readonly text: string; readonly truncated: boolean } => ({
  text: text.slice(0, keptCharacters).toWellFormed(),
  truncated: text.length > keptCharacters,
});

/** Those of the first items whose JSON has so many bytes together. */
export const fittingItems = <T>(items: readonly T[], maximumBytes: number): readonly T[] => {
  let sizeBytes = 0;
  const tooMany = items.findIndex((item) => {
    sizeBytes += jsonBytes(item);
    return sizeBytes > maximumBytes;
  });
  return tooMany === -1 ? items : items.slice(0, tooMany);
};
