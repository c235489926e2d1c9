import { patchFailed } from "./patch-failed.ts";

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};

/** A name at the beginning of a line's rest, and what follows it. Names with special bytes stand in quotes, C-escaped. */
export const quotedName = (
  text: string,
  patchLine: number,
): { readonly name: string; readonly rest: string } | undefined => {
  if (!text.startsWith('"')) return undefined;
  let name = "";
  for (let at = 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return { name, rest: text.slice(at + 1) };
    if (character !== "\\") {
      name += character;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    if (octal !== undefined) {
      name += String.fromCharCode(Number.parseInt(octal, 8));
      at += 3;
      continue;
    }
    at += 1;
    const escaped = escapes[text.charAt(at)];
    if (escaped === undefined) break;
    name += escaped;
  }
  throw patchFailed("a quoted path does not end, or has an unknown escape", { patchLine });
};

/** The path of a `---` or `+++` line; `undefined` for `/dev/null`. Behind a tab there may be a time, which is left out. */
export const sidePath = (text: string, prefix: "a/" | "b/", patchLine: number): string | undefined => {
  const name = quotedName(text, patchLine)?.name ?? text.split("\t", 1)[0] ?? "";
  if (name === "/dev/null") return undefined;
  if (name.startsWith(prefix)) return utf8(name.slice(2), patchLine);
  throw patchFailed(`paths must begin with ${prefix} or be /dev/null, as git diff writes them`, {
    patchLine,
  });
};

/** The path of a `rename` or `copy` line, which has no prefix. */
export const barePath = (text: string, patchLine: number): string =>
  utf8(quotedName(text, patchLine)?.name ?? text, patchLine);

/** The path in `diff --git a/X b/X`, when both sides are the same; a ` b/` inside it does not mislead. */
export const headerPath = (text: string, patchLine: number): string | undefined => {
  const first = quotedName(text, patchLine);
  if (first !== undefined) {
    const second = quotedName(first.rest.slice(1), patchLine)?.name ?? first.rest.slice(1);
    return sameSides(first.name, second, patchLine);
  }
  const quote = text.indexOf(' "b/');
  if (quote !== -1 && text.endsWith('"')) {
    return sameSides(
      text.slice(0, quote),
      quotedName(text.slice(quote + 1), patchLine)?.name ?? "",
      patchLine,
    );
  }
  const middle = (text.length - 1) / 2;
  return text[middle] === " "
    ? sameSides(text.slice(0, middle), text.slice(middle + 1), patchLine)
    : undefined;
};

const sameSides = (a: string, b: string, patchLine: number): string | undefined =>
  a.startsWith("a/") && b.startsWith("b/") && a.slice(2) === b.slice(2)
    ? utf8(a.slice(2), patchLine)
    : undefined;

/** Names are read as one unit a byte. */
const utf8 = (name: string, patchLine: number): string => {
  const bytes = Buffer.from(name, "latin1");
  const path = bytes.toString();
  if (Buffer.from(path).equals(bytes)) return path;
  throw patchFailed("a path is not UTF-8", { patchLine });
};
