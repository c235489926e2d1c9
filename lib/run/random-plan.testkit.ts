import fc from "fast-check";

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const path = fc.constantFrom("a.txt", "b.txt", "src/c.ts", "src/d.ts", "deep/er/e.md");
const word = fc.constantFrom("one", "two", "three", "four\r\n", "");

const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ tool: fc.constant("write_file"), input: fc.record({ path, content: word }) }),
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

/**
 * Plan documents over a handful of paths, so that decisions meet: each reads what others wrote, many calls fail, and
 * dependants of failed ones are skipped. Dependencies point to decisions before.
 */
export const randomPlan = fc
  .array(
    fc.record({
      toolCalls: fc.array(call, { maxLength: 3 }),
      dependencies: fc.array(fc.nat(40), { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 14 },
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
