type Part = { readonly number: string } | { readonly word: string };

/**
 * Orders versions as versions (F19): dotted parts one after another, numbers by their value (`1.10` is newer than `1.9`,
 * `10` than `9`), a missing part as 0 (`1` is `1.0`). What follows a `-` is a pre-release, older than the version without it;
 * what follows a `+` does not count, nor does a leading `v`. Words come behind numbers and go by their code units. Takes any
 * text; a total order. Negative when `one` is older than `other`.
 */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [parsed(one), parsed(other)];
  const core = compareParts(left.core, right.core, true);
  if (core !== 0) return core;
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return Math.sign(right.prerelease.length - left.prerelease.length);
  }
  return compareParts(left.prerelease, right.prerelease, false);
}

function parsed(version: string): { readonly core: readonly Part[]; readonly prerelease: readonly Part[] } {
  const [counted = ""] = version.normalize("NFC").trim().split("+", 1);
  const text = /^v\d/i.test(counted) ? counted.slice(1) : counted;
  const dash = text.indexOf("-");
  // A date such as 2026-01-05 has dashes too: what stands before and behind is of digits only.
  if (dash < 0 || /^\d+(?:-\d+)+$/.test(text)) return { core: parts(text, /[.-]/), prerelease: [] };
  return { core: parts(text.slice(0, dash), "."), prerelease: parts(text.slice(dash + 1), /[.-]/) };
}

const parts = (text: string, separator: string | RegExp): readonly Part[] =>
  text
    .split(separator)
    .flatMap((dotted) => dotted.match(/\d+|\D+/g) ?? [""])
    .map((part) => (/^\d+$/.test(part) ? { number: part.replace(/^0+(?=\d)/, "") } : { word: part }));

const zero: Part = { number: "0" };

function compareParts(left: readonly Part[], right: readonly Part[], filled: boolean): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [one, other] = [left[index], right[index]];
    if (!filled && (one === undefined || other === undefined)) return one === undefined ? -1 : 1;
    const order = comparePart(one ?? zero, other ?? zero);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(one: Part, other: Part): number {
  if ("number" in one && "number" in other) {
    // As long as they are written without leading zeros, the longer number is the greater one, of any length.
    return Math.sign(one.number.length - other.number.length) || order(one.number, other.number);
  }
  if ("word" in one && "word" in other) return order(one.word, other.word);
  return "number" in one ? -1 : 1;
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
