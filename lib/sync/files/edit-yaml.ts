import { isDeepStrictEqual } from "node:util";
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import { readYaml } from "../../plan/read-yaml.ts";

type Members = Readonly<Record<string, unknown>>;

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * A YAML text that says `wanted`: what says that already stays as it is, byte for byte, with comments, order, quotes and
 * anchors; only members that differ are written anew, and what aliases elsewhere say of them is written out. Where the text does not
 * allow that, the document is written anew, with its comments as far as they have a place. An empty text gives a fresh one.
 */
export function editYaml(text: string, wanted: Members): string {
  const current = text.trim() === "" ? undefined : readYaml(text);
  if (!isMembers(current)) return fresh(wanted);
  if (isDeepStrictEqual(current, wanted)) return text;
  const document = parsed(text);
  const candidates = [
    () => spliced(text, { current, wanted }),
    () => spliced(withoutAliases(text, { current, wanted }), { current, wanted }),
    () => rewritten(document, wanted),
  ];
  for (const candidate of candidates) {
    const edited = candidate();
    if (edited !== undefined && says(edited, wanted)) return edited;
  }
  return fresh(wanted);
}

interface Change {
  readonly current: Members;
  readonly wanted: Members;
}

function spliced(text: string | undefined, change: Change): string | undefined {
  const contents = text === undefined ? undefined : parsed(text).contents;
  return text !== undefined && isMap(contents) ? apply(text, mapSplices(text, contents, change)) : undefined;
}

/** The text with what aliases say of the members that change written out in their places, so that these may change alone. */
function withoutAliases(text: string, { current, wanted }: Change): string | undefined {
  const document = parsed(text);
  if (!isMap(document.contents)) return undefined;
  const changing = new Set<unknown>();
  const stays = document.contents.items.filter(({ key, value }) => {
    if (isDeepStrictEqual(current[keyText(key)], wanted[keyText(key)])) return true;
    if (isNode(value)) visit(value, { Node: (_, node) => void changing.add(node) });
    return false;
  });
  const splices: Splice[] = [];
  for (const { value } of stays) {
    if (!isNode(value)) continue;
    visit(value, {
      Alias(_, alias) {
        const said = alias.resolve(document);
        const put = said !== undefined && changing.has(said) ? inFlow(said.toJS(document)) : undefined;
        if (put !== undefined && alias.range) {
          splices.push({ from: alias.range[0], to: alias.range[1], text: put });
        }
      },
    });
  }
  return splices.length === 0 ? undefined : apply(text, splices);
}

/** A value in one line, as it can stand anywhere; `undefined` when it takes several. */
const inFlow = (value: unknown): string | undefined =>
  /^\[ (.*) \]\n$/.exec(stringify([value], { flow: true }))?.[1];

const parsed = (text: string) =>
  parseDocument(text, { version: "1.2", schema: "core", merge: false, logLevel: "silent" });

const written = { lineWidth: 0, minContentWidth: 0 } as const;

const fresh = (wanted: Members): string => stringify(wanted, { flow: false });

function stringify(value: unknown, { flow }: { readonly flow: boolean }): string {
  const document = new Document(undefined, { version: "1.2", schema: "core" });
  document.contents = document.createNode(value, { flow, aliasDuplicateObjects: false });
  return document.toString(written);
}

function says(text: string, wanted: Members): boolean {
  try {
    return isDeepStrictEqual(readYaml(text), wanted);
  } catch {
    return false;
  }
}

/** Sets only what differs, so that comments stay with what they are beside. */
function rewritten(document: ReturnType<typeof parsed>, wanted: Members): string | undefined {
  if (!isMap(document.contents)) return undefined;
  const set = (map: YAMLMap, members: Members): void => {
    map.items = map.items.filter(({ key }) => Object.hasOwn(members, keyText(key)));
    for (const [key, value] of Object.entries(members)) {
      const found = map.items.find((pair) => keyText(pair.key) === key);
      if (found !== undefined && isMap(found.value) && isMembers(value)) set(found.value, value);
      else if (found !== undefined && isNode(found.value) && same(document, found.value, value)) continue;
      else if (found !== undefined) found.value = document.createNode(value);
      else map.items.push(document.createPair(key, value));
    }
  };
  try {
    set(document.contents, wanted);
    return document.toString(written);
  } catch {
    // An alias may have lost its anchor.
    return undefined;
  }
}

const same = (document: ReturnType<typeof parsed>, node: unknown, value: unknown): boolean =>
  isNode(node) && isDeepStrictEqual(node.toJS(document), value);

function mapSplices(
  text: string,
  map: YAMLMap,
  { current, wanted }: { readonly current: Members; readonly wanted: Members },
): Splice[] | undefined {
  const first = map.items[0];
  const start = first === undefined ? undefined : startOf(first);
  if (map.flow === true) return flowSplices(text, map, { current, wanted });
  if (start === undefined) return undefined;
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  // What stands before the first key on its line (a sequence's dash) cannot be repeated for another.
  if (indent.trim() !== "") return undefined;
  const splices: Splice[] = [];
  let end = start;
  for (const pair of map.items) {
    const key = keyText(pair.key);
    const [from, to] = [startOf(pair), endOf(text, pair)];
    if (from === undefined || to === undefined) return undefined;
    end = Math.max(end, to);
    if (!Object.hasOwn(wanted, key)) {
      splices.push({ from: from - indent.length, to: lineEnd(text, to), text: "" });
      continue;
    }
    const value = wanted[key];
    if (isDeepStrictEqual(current[key], value)) continue;
    const inner = innerSplices(text, pair, { current: current[key], wanted: value });
    splices.push(...(inner ?? [replaced(text, { key, value, indent, from, to })]));
  }
  const added = Object.keys(wanted).filter((key) => !Object.hasOwn(current, key));
  if (added.length > 0) {
    const at = lineEnd(text, end);
    const lines = added.map((key) => indented(stringify({ [key]: wanted[key] }, { flow: false }), indent));
    const before = at > 0 && text[at - 1] !== "\n" ? "\n" : "";
    splices.push({ from: at, to: at, text: before + lines.join("") });
  }
  return splices;
}

/** Members between braces: values are replaced and members added in their places; a member taken away is not for here. */
function flowSplices(
  text: string,
  map: YAMLMap,
  { current, wanted }: { readonly current: Members; readonly wanted: Members },
): Splice[] | undefined {
  const splices: Splice[] = [];
  let end: number | undefined;
  for (const pair of map.items) {
    const key = keyText(pair.key);
    end = endOf(text, pair);
    if (end === undefined || !Object.hasOwn(wanted, key)) return undefined;
    if (isDeepStrictEqual(current[key], wanted[key])) continue;
    const { value } = pair;
    const [was, is] = [current[key], wanted[key]];
    const inside =
      isMap(value) && isMembers(was) && isMembers(is)
        ? flowSplices(text, value, { current: was, wanted: is })
        : undefined;
    if (inside !== undefined) splices.push(...inside);
    else {
      const put = inFlow(is);
      if (put === undefined || !isNode(value) || !value.range || value.range[0] === value.range[1]) {
        return undefined;
      }
      splices.push({ from: value.range[0], to: value.range[1], text: put });
    }
  }
  const added = Object.entries(wanted).filter(([key]) => !Object.hasOwn(current, key));
  if (added.length === 0) return splices;
  const [, members] = /^\{ (.*) \}\n$/.exec(stringify(Object.fromEntries(added), { flow: true })) ?? [];
  if (end === undefined || members === undefined) return undefined;
  return [...splices, { from: end, to: end, text: `, ${members}` }];
}

/** Changes inside of a member's value, which keep the rest of it as it is. */
function innerSplices(
  text: string,
  pair: Pair,
  { current, wanted }: { readonly current: unknown; readonly wanted: unknown },
): Splice[] | undefined {
  const { value } = pair;
  if (isMap(value) && isMembers(current) && isMembers(wanted)) {
    const inside =
      Object.keys(wanted).length === 0 ? undefined : mapSplices(text, value, { current, wanted });
    if (inside !== undefined) return inside;
  }
  if (!isNode(value) || !value.range) return undefined;
  const [from, to] = value.range;
  const old = text.slice(from, to);
  if (old === "" || old.includes("\n")) return undefined;
  const onOneLine = isCollection(value) ? value.flow === true : isScalar(value) || isAlias(value);
  if (!onOneLine) return undefined;
  const line = stringify(wanted, { flow: true }).replace(/\n$/, "");
  return line.includes("\n") ? undefined : [{ from, to, text: line }];
}

/** A member written anew; a comment behind its old value stays on the line of its key. */
function replaced(
  text: string,
  order: Pick<Splice, "from" | "to"> & {
    readonly key: string;
    readonly value: unknown;
    readonly indent: string;
  },
): Splice {
  const { key, value, indent, from, to } = order;
  const block = indented(stringify({ [key]: value }, { flow: false }), indent).slice(indent.length);
  if (text[to - 1] === "\n") return { from, to, text: block };
  const [, first = "", others = ""] = /^(.*)((?:\n.*)*?)\n?$/.exec(block) ?? [];
  const [comment = ""] = /^[ \t]+#.*/.exec(text.slice(to)) ?? [];
  return { from, to: to + comment.length, text: first + comment + others };
}

const indented = (block: string, indent: string): string => block.replace(/^(?=[^\n])/gm, indent);

const keyText = (key: unknown): string => String(isScalar(key) ? key.value : key);

const startOf = ({ key }: Pair): number | undefined => (isNode(key) && key.range ? key.range[0] : undefined);

/** Where the last thing that a pair says ends, without comments and blank lines behind it. */
function endOf(text: string, { key, value }: Pair): number | undefined {
  const isSaid = isNode(value) && value.range && value.range[1] > value.range[0];
  if (isSaid || (isNode(value) && value.anchor !== undefined)) return nodeEnd(text, value);
  const keyEnd = nodeEnd(text, key);
  const colon = keyEnd === undefined ? -1 : text.indexOf(":", keyEnd);
  // Only blanks may stand between a key and its colon.
  return colon < 0 || text.slice(keyEnd, colon).trim() !== "" ? keyEnd : colon + 1;
}

function nodeEnd(text: string, node: unknown): number | undefined {
  if (isMap(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return last === undefined ? node.range?.[1] : endOf(text, last);
  }
  if (isSeq(node) && node.flow !== true && node.items.length > 0) return nodeEnd(text, node.items.at(-1));
  return isNode(node) ? node.range?.[1] : undefined;
}

/** Behind the line in which `at` stands; `at` itself where a line begins. */
function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

function apply(text: string, splices: readonly Splice[] | undefined): string | undefined {
  if (splices === undefined) return undefined;
  let edited = text;
  for (const { from, to, text: put } of splices.toSorted((one, other) => other.from - one.from)) {
    edited = edited.slice(0, from) + put + edited.slice(to);
  }
  return edited;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
