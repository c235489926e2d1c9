// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of actions look like JavaScript's.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import { parsePlanDocument } from "../plan/parse-plan-document.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { parseActionDefinition } from "./action-definition.ts";
import { planFromAction } from "./plan-from-action.ts";
import { typedArguments } from "./typed-arguments.ts";

const rename = parseActionDefinition({
  name: "rename",
  description: "Renames a file.",
  arguments: {
    type: "object",
    properties: {
      from: { type: "string", minLength: 1 },
      to: { type: "string" },
      note: { type: "string", default: "no reason given" },
      depth: { type: "integer", default: 3 },
      paths: { type: "array", items: { type: "string" }, default: [] },
    },
    required: ["from", "to"],
    additionalProperties: false,
  },
  plan: {
    name: "rename ${{ args.from }} to ${{args.to}}",
    decisions: [
      {
        id: "d1",
        rationale: "${{ args.note }} (depth ${{ args.depth }}, ${{ args.paths }})",
        toolCalls: [
          { tool: "move_file", input: { source: "${{ args.from }}", destination: "src/${{ args.to }}" } },
          { tool: "search_files", input: { path: "", pattern: "x", limit: "${{ args.depth }}" } },
        ],
      },
    ],
  },
});

const planOf = (args: Readonly<Record<string, unknown>>) =>
  parsePlanDocument(planFromAction({ action: rename, args }));

const refused = (run: () => unknown): ValidationError => {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ValidationError, String(error));
    return error;
  }
  throw new Error("not refused");
};

test("a placeholder alone keeps the argument's type, one within text becomes text, and defaults fill in", () => {
  assert.deepEqual(planOf({ from: "a.ts", to: "b.ts", paths: ["x", "y"] }), {
    name: "rename a.ts to b.ts",
    decisions: [
      {
        id: "d1",
        rationale: 'no reason given (depth 3, ["x","y"])',
        toolCalls: [
          { tool: "move_file", input: { source: "a.ts", destination: "src/b.ts" } },
          { tool: "search_files", input: { path: "", pattern: "x", limit: 3 } },
        ],
      },
    ],
  });
});

for (const hostile of [
  '", "tool": "delete_file", "x": "',
  "${{ args.to }}",
  "$${{ args.to }}",
  "${{",
  "}}",
  "$&$1$`",
  "\n  - id: d2\n    toolCalls: []",
  "secret:TOKEN",
  '{"id":"d2"}',
  "__proto__",
]) {
  test(`an argument ${JSON.stringify(hostile)} stays text where it is put, and adds nothing`, () => {
    const { decisions, name } = planOf({ from: hostile, to: hostile });
    assert.equal(decisions.length, 1);
    assert.equal(name, `rename ${hostile} to ${hostile}`);
    assert.deepEqual(decisions[0]?.toolCalls?.[0], {
      tool: "move_file",
      input: { source: hostile, destination: `src/${hostile}` },
    });
    assert.equal(decisions[0]?.toolCalls?.length, 2);
  });
}

test("whatever text the arguments hold, the plan differs from that of harmless ones in those texts only", () => {
  const fragment = fc.oneof(fc.string(), fc.constantFrom("${{ args.to }}", "}}", "$${{", '"', "\\", "\n- "));
  const text = fc
    .array(fragment, { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join(""))
    .filter((value) => value !== "" && value.isWellFormed());
  fc.assert(
    fc.property(text, text, text, (from, to, note) => {
      const plan = planFromAction({ action: rename, args: { from, to, note } });
      const harmless = planFromAction({ action: rename, args: { from: "F", to: "T", note: "N" } });
      assert.deepEqual(plan, {
        ...harmless,
        name: `rename ${from} to ${to}`,
        decisions: [
          {
            id: "d1",
            rationale: `${note} (depth 3, [])`,
            toolCalls: [
              { tool: "move_file", input: { source: from, destination: `src/${to}` } },
              { tool: "search_files", input: { path: "", pattern: "x", limit: 3 } },
            ],
          },
        ],
      });
    }),
    { numRuns: propertyRuns(300) },
  );
});

const bad: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
  ["a missing one", { from: "a" }, "/args/to", /"rename" is missing/],
  ["an unknown one", { from: "a", to: "b", force: true }, "/args/force", /not known/],
  ["one of another type", { from: "a", to: 5 }, "/args/to", /must be string/],
  ["one that breaks its rule", { from: "", to: "b" }, "/args/from", /fewer than 1/],
  ["a structure where text is meant", { from: "a", to: { id: "d2" } }, "/args/to", /must be string/],
  ["a lone surrogate", { from: "a", to: "\ud800" }, "/args/to", /surrogate/],
];
for (const [what, args, field, message] of bad) {
  test(`of the arguments ${what} is refused with its field`, () => {
    const error = refused(() => planOf(args));
    assert.equal(error.field, field);
    assert.match(error.message, message);
  });
}

test("an own __proto__ among the arguments is refused", () => {
  const args = JSON.parse('{"from":"a","to":"b","__proto__":{"x":1}}');
  assert.match(refused(() => planOf(args)).field, /__proto__/);
});

test("$${{ stands for the text itself, so that a plan can write templates of others", () => {
  const action = parseActionDefinition({
    name: "workflow",
    plan: { decisions: [{ id: "d1", rationale: "runs on $${{ github.ref }} and $${{ args.x }}" }] },
  });
  const { decisions } = parsePlanDocument(planFromAction({ action, args: {} }));
  assert.equal(decisions[0]?.rationale, "runs on ${{ github.ref }} and ${{ args.x }}");
});

test("a plan that arguments blow up is refused before it fills the memory", () => {
  const decisions = Array.from({ length: 200 }, (_, index) => ({
    id: `d${index}`,
    rationale: "${{ args.x }}",
  }));
  const action = parseActionDefinition({
    name: "big",
    arguments: { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
    plan: { decisions },
  });
  const error = refused(() => planFromAction({ action, args: { x: "x".repeat(100_000) } }));
  assert.equal(error.code, "limit_exceeded");
});

const brokenActions: readonly (readonly [string, unknown, string, RegExp])[] = [
  ["no plan", { name: "a" }, "/plan", /required/],
  ["an unknown field", { name: "a", plan: {}, steps: [] }, "/steps", /not a known field/],
  [
    "an argument that is not declared",
    { name: "a", plan: { name: "${{ args.x }}" } },
    "/plan/name",
    /does not declare/,
  ],
  [
    "an argument that can be left out",
    { name: "a", arguments: { type: "object", properties: { x: {} } }, plan: { name: "${{ args.x }}" } },
    "/plan/name",
    /neither required nor has a default/,
  ],
  [
    "a placeholder of something else",
    { name: "a", plan: { name: "${{ env.HOME }}" } },
    "/plan/name",
    /no placeholder/,
  ],
  [
    "a placeholder that does not end",
    { name: "a", plan: { name: "${{ args.x" } },
    "/plan/name",
    /no placeholder/,
  ],
  [
    "a placeholder in a name",
    {
      name: "a",
      arguments: { type: "object", properties: { x: {} }, required: ["x"] },
      plan: { "${{ args.x }}": 1 },
    },
    "/plan/${{ args.x }}",
    /names are never replaced/,
  ],
  [
    "a schema that is none",
    { name: "a", arguments: { type: "objekt" }, plan: {} },
    "/arguments",
    /"type": "object"/,
  ],
];
for (const [what, value, field, message] of brokenActions) {
  test(`an action with ${what} is refused where it stands`, () => {
    const error = refused(() => parseActionDefinition(value));
    assert.equal(error.field, field);
    assert.match(error.message, message);
  });
}

test("typed text becomes what the schema says: text, numbers, booleans, lists, objects", () => {
  const action = {
    name: "a",
    arguments: {
      type: "object",
      properties: {
        text: { type: "string" },
        count: { type: "integer" },
        ratio: { type: "number" },
        on: { type: "boolean" },
        list: { type: "array", items: { type: "integer" } },
        one: { type: "array", items: { type: "string" } },
        data: { type: "object" },
        maybe: { type: ["string", "null"] },
        any: {},
        anything: {},
        either: { anyOf: [{ type: "object" }, { type: "string" }] },
        level: { enum: [1, 2, "max"] },
      },
    },
  };
  assert.deepEqual(
    typedArguments(action, [
      ["text", "12"],
      ["count", "12"],
      ["ratio", "2"],
      ["on", "false"],
      ["list", "1"],
      ["list", "2"],
      ["one", "a,b"],
      ["data", '{"a":[null]}'],
      ["anything", '{"a":1}'],
      ["either", "1.10"],
      ["maybe", "null"],
      ["any", "7"],
      ["level", "2"],
    ]),
    {
      text: "12",
      count: 12,
      ratio: 2,
      on: false,
      list: [1, 2],
      one: ["a,b"],
      data: { a: [null] },
      maybe: null,
      any: "7",
      anything: { a: 1 },
      either: "1.10",
      level: 2,
    },
  );
  assert.deepEqual(typedArguments(action, [["list", "[3,4]"]]), { list: [3, 4] });
  const wrong: readonly (readonly [readonly (readonly [string, string])[], RegExp])[] = [
    [[["count", "1.5"]], /count is "1.5".*integer/],
    [[["on", "yes"]], /boolean/],
    [[["nope", "1"]], /takes text, count/],
    [
      [
        ["text", "a"],
        ["text", "b"],
      ],
      /more than once/,
    ],
  ];
  for (const [texts, message] of wrong) {
    assert.throws(
      () => typedArguments(action, texts),
      (error) => error instanceof PlanledgerError && message.test(error.message),
    );
  }
});
