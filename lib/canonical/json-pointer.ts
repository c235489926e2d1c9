export type JsonPath = readonly (string | number)[];

/** RFC 6901: `["decisions", 3, "a/b"]` is `/decisions/3/a~1b`; the whole document is `""`. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The steps of a pointer, all of them strings (an index cannot be told from a key). */
export const jsonPointerSteps = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
