import { ToolError } from "./tool-error.ts";

const maxPatternChars = 1024;
const maxStates = 10_000;

/** Whether a path (segments separated by `/`) matches as a whole, and how many states were followed to know it. */
export type GlobMatch = (path: string) => { readonly matches: boolean; readonly steps: number };

/**
 * Compiles a glob: `*` and `?` stay within a segment, a segment `**` spans any number of them, `[a-z]` and `[!a-z]` are one
 * character, `{a,b}` is either, `\` takes the next character as it is; a leading dot is nothing special. Every state that a
 * pattern can be in is followed at once, so matching takes at most the product of the two lengths; the matchers that turn
 * globs into regular expressions backtrack, and a pattern can keep them busy for hours. A pattern that cannot be read is
 * `input_invalid`.
 */
export const glob = (pattern: string, field: string): GlobMatch => {
  const refuse = (problem: string): ToolError =>
    new ToolError({
      code: "input_invalid",
      message: `The input's ${field}, ${JSON.stringify(pattern.slice(0, 100))}, is no pattern: ${problem}. Allowed: *, ?, ** as a segment, [a-z], [!a-z], {a,b} and \\ before a character that stands for itself.`,
      details: { field },
    });
  if (pattern === "") throw refuse("it is empty");
  if (pattern.length > maxPatternChars) throw refuse(`it is longer than ${maxPatternChars} characters`);
  const states: State[] = [];
  const add = (state: State): number => {
    if (states.length >= maxStates) throw refuse("it is too complex");
    return states.push(state) - 1;
  };
  const characters = [...pattern];
  const final = add({ kind: "end" });
  const start = compile({ characters, add, refuse }, { from: 0, to: characters.length, next: final });
  return (path) => {
    let current = closure(states, [start]);
    let steps = current.size;
    for (const character of path) {
      const following: number[] = [];
      for (const index of current) {
        const state = states[index];
        if (state?.kind === "character" && state.matches(character)) following.push(state.next);
      }
      current = closure(states, following);
      if (current.size === 0) return { matches: false, steps };
      steps += current.size;
    }
    return { matches: current.has(final), steps };
  };
};

type State =
  | { readonly kind: "end" }
  | { readonly kind: "character"; readonly matches: (character: string) => boolean; next: number }
  | { readonly kind: "split"; readonly next: number[] };

/** All states that can be reached without another character. */
const closure = (states: readonly State[], from: readonly number[]): ReadonlySet<number> => {
  const reached = new Set(from);
  for (const index of reached) {
    const state = states[index];
    if (state?.kind === "split") for (const next of state.next) reached.add(next);
  }
  return reached;
};

interface Compiler {
  readonly characters: readonly string[];
  add(state: State): number;
  refuse(problem: string): ToolError;
}

interface Part {
  readonly from: number;
  readonly to: number;
  /** The state behind the part. */
  readonly next: number;
}

/** Compiles from the end to the beginning, so that what comes behind is known; answers the part's first state. */
const compile = (compiler: Compiler, part: Part): number =>
  tokens(compiler, part).reduceRight((next, token) => token(next), part.next);

/** Makes the states of one piece of a pattern in front of others. */
type Token = (next: number) => number;

const tokens = (compiler: Compiler, { from, to }: Part): readonly Token[] => {
  const { characters, add, refuse } = compiler;
  const found: Token[] = [];
  const one =
    (matches: (character: string) => boolean): Token =>
    (next) =>
      add({ kind: "character", matches, next });
  for (let at = from; at < to; at += 1) {
    const character = characters[at];
    if (character === "\\") {
      at += 1;
      const literal = characters[at];
      if (at >= to || literal === undefined) throw refuse("it ends in a backslash");
      found.push(one((other) => other === literal));
    } else if (character === "?") {
      found.push(one(notSlash));
    } else if (character === "*") {
      const spans = spanningStars(characters, at);
      found.push(spans === undefined ? many(add, notSlash) : spans.token(add));
      at = spans?.last ?? lastStar(characters, at);
    } else if (character === "[") {
      const set = characterSet(characters, at);
      if (set === undefined || set.last >= to) throw refuse("a [ has no ]");
      found.push(one(set.matches));
      at = set.last;
    } else if (character === "{") {
      const group = alternatives(characters, at);
      if (group === undefined || group.last >= to) throw refuse("a { has no }");
      found.push((next) =>
        add({
          kind: "split",
          next: group.parts.map((part) => compile(compiler, { ...part, next })),
        }),
      );
      at = group.last;
    } else {
      found.push(one((other) => other === character));
    }
  }
  return found;
};

const notSlash = (character: string): boolean => character !== "/";
const any = (): boolean => true;

const many =
  (add: Compiler["add"], matches: (character: string) => boolean): Token =>
  (next) => {
    const split: State = { kind: "split", next: [next] };
    const index = add(split);
    split.next.push(add({ kind: "character", matches, next: index }));
    return index;
  };

const lastStar = (characters: readonly string[], at: number): number => {
  let last = at;
  while (characters[last + 1] === "*") last += 1;
  return last;
};

/** `**` as a whole segment; `undefined` for stars within one. */
const spanningStars = (
  characters: readonly string[],
  at: number,
): { readonly last: number; token(add: Compiler["add"]): Token } | undefined => {
  const last = lastStar(characters, at);
  const begins = isEdge(characters[at - 1]);
  if (last !== at + 1 || !begins || !isEdge(characters[last + 1])) return undefined;
  if (characters[last + 1] !== "/") return { last, token: (add) => many(add, any) };
  // `**/` is nothing, or anything that ends in a slash.
  return {
    last: last + 1,
    token: (add) => (next) => {
      const slash = add({ kind: "character", matches: (character) => character === "/", next });
      return add({ kind: "split", next: [next, many(add, any)(slash)] });
    },
  };
};

const isEdge = (character: string | undefined): boolean =>
  character === undefined || character === "/" || character === "{" || character === "}" || character === ",";

const characterSet = (
  characters: readonly string[],
  at: number,
): { readonly last: number; readonly matches: (character: string) => boolean } | undefined => {
  const negated = characters[at + 1] === "!" || characters[at + 1] === "^";
  const ranges: (readonly [number, number])[] = [];
  let index = at + (negated ? 2 : 1);
  const first = index;
  for (; index < characters.length; index += 1) {
    if (characters[index] === "]" && index > first) {
      return {
        last: index,
        matches: (character) => {
          const point = character.codePointAt(0) ?? 0;
          return (
            notSlash(character) && ranges.some(([low, high]) => low <= point && point <= high) !== negated
          );
        },
      };
    }
    const low = characters[index]?.codePointAt(0) ?? 0;
    const beyond = characters[index + 2];
    if (characters[index + 1] === "-" && beyond !== undefined && beyond !== "]") {
      ranges.push([low, beyond.codePointAt(0) ?? 0]);
      index += 2;
    } else {
      ranges.push([low, low]);
    }
  }
  return undefined;
};

/** The parts between `{`, its commas and its `}`. */
const alternatives = (
  characters: readonly string[],
  at: number,
): { readonly last: number; readonly parts: readonly Omit<Part, "next">[] } | undefined => {
  const parts: Omit<Part, "next">[] = [];
  let depth = 0;
  let from = at + 1;
  for (let index = at; index < characters.length; index += 1) {
    const character = characters[index];
    if (character === "\\") index += 1;
    else if (character === "{") depth += 1;
    else if ((character === "," && depth === 1) || (character === "}" && depth === 1)) {
      parts.push({ from, to: index });
      from = index + 1;
      if (character === "}") return { last: index, parts };
    } else if (character === "}") depth -= 1;
  }
  return undefined;
};
