import fc from "fast-check";
import { sha256Hex } from "../canonical/sha256.ts";

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const path = fc.constantFrom("a.txt", "b.txt", "src/c.ts", "src/d.ts", "deep/er/e.md");
/** Text that nothing compresses but what holds it already. */
const dense = (name: string, sizeBytes: number): string =>
  Array.from({ length: sizeBytes / 64 }, (_, index) => sha256Hex(`${name} ${index}`)).join("");
/** Kept as deltas; and beyond some 32 KiB in the content store, where nothing holds it already. Plans name them, to be legible. */
const passages: Readonly<Record<string, string>> = {
  "#first#": dense("first", 640),
  "#second#": `${dense("second", 1_280)}\r\n`,
  "#both#": `${dense("second", 1_280)}${dense("first", 640)}`,
  "#large#": dense("large", 81_920),
};
export const passageNames = Object.keys(passages);
const passage = fc.constantFrom(...passageNames);

/** The same calls with the passages in full, and in base64 where one asks for that. */
export function withPassages<Value>(value: Value): Value;
export function withPassages(value: unknown): unknown {
  if (typeof value === "string") return passages[value] ?? value;
  if (Array.isArray(value)) return value.map(withPassages<unknown>);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withPassages<unknown>(member)]);
  const full: Readonly<Record<string, unknown>> = Object.fromEntries(members);
  if (full.encoding !== "base64") return full;
  return { ...full, content: Buffer.from(String(full.content)).toString("base64") };
}

const word = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("one", "two", "three", "four\r\n", "") },
  { weight: 2, arbitrary: passage },
);

const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ tool: fc.constant("write_file"), input: fc.record({ path, content: word }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      tool: fc.constant("write_file"),
      input: fc.record({ path, content: word, encoding: fc.constant("base64") }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ tool: fc.constant("append"), input: fc.record({ path, text: word }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      tool: fc.constant("move_file"),
      input: fc.record({ source: path, destination: path }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ tool: fc.constant("delete_file"), input: fc.record({ path }) }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant("read_text_file"), input: fc.record({ path }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ tool: fc.constant("charge"), input: fc.record({ amount: fc.nat(9) }) }),
  },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant("notify"), input: fc.record({ text: word }) }) },
);

const decision = fc.record({
  toolCalls: fc.array(call, { maxLength: 3 }),
  dependencies: fc.array(fc.nat(40), { maxLength: 2 }),
});
/** Far from what any other decision does, and from the outside: of these a worker makes full steps, one behind the other. */
const plain = fc.record({
  toolCalls: fc
    .record({ path: fc.constantFrom("b.txt", "p/q.txt", "p/r.txt"), text: word })
    .map(({ path: at, text }) => [{ tool: "write_file", input: { path: at, content: text } }]),
  dependencies: fc.constant([]),
});

/**
 * Plan documents over a handful of paths, so that decisions meet: each reads what others wrote, many calls fail, and
 * dependants of failed ones are skipped. Dependencies point to decisions before.
 */
export const randomPlan = fc
  .oneof(
    { weight: 9, arbitrary: fc.array(decision, { minLength: 1, maxLength: 14 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.array(plain, { minLength: 33, maxLength: 40, size: "max" }),
          fc.array(decision, { maxLength: 3 }),
          fc.array(plain, { minLength: 33, maxLength: 40, size: "max" }),
        )
        .map((parts) => parts.flat()),
    },
  )
  .map((decisions) => ({
    projectResources: { app: { project: "local/app" } },
    decisions: decisions.map(({ toolCalls, dependencies }, index) => ({
      id: `d${index}`,
      toolCalls,
      dependsOn: [...new Set(index === 0 ? [] : dependencies.map((dependency) => `d${dependency % index}`))],
    })),
  }));

export type RandomPlan = typeof randomPlan extends fc.Arbitrary<infer Plan> ? Plan : never;
