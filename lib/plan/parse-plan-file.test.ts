import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePlanFile } from "./parse-plan-file.ts";

const yamlPlan = `# Renames a module.
name: rename
projectResources:
  app: { project: local/app }
decisions:
  - id: d1
    rationale: >-
      the name
      misleads
    toolCalls:
      - tool: write_file
        input:
          path: src/a.ts
          content: |
            first
            second
          mode: 0o755
          on: yes
          date: 2020-01-01
          nothing: ~
  - { "id": "d2", "dependsOn": [d1] }
`;

const plan = {
  name: "rename",
  projectResources: { app: { project: "local/app" } },
  decisions: [
    {
      id: "d1",
      rationale: "the name misleads",
      toolCalls: [
        {
          tool: "write_file",
          input: {
            path: "src/a.ts",
            content: "first\nsecond\n",
            mode: 0o755,
            on: "yes",
            date: "2020-01-01",
            nothing: null,
          },
        },
      ],
    },
    { id: "d2", dependsOn: ["d1"] },
  ],
};

test("a plan file is the same plan in YAML 1.2 and in JSON, from text and from bytes, with a byte order mark or without", () => {
  const json = JSON.stringify(plan);
  assert.deepEqual(parsePlanFile(yamlPlan, "plan.yaml"), plan);
  assert.deepEqual(parsePlanFile(yamlPlan.replaceAll("\n", "\r\n"), "plan.yml"), plan);
  assert.deepEqual(parsePlanFile(`\ufeff${yamlPlan}`, "plan.yaml"), plan);
  assert.deepEqual(parsePlanFile(Buffer.from(json), "plan.json"), plan);
  assert.deepEqual(parsePlanFile(Buffer.from(`\ufeff${json}`), "PLAN.JSON"), plan);
  assert.deepEqual(parsePlanFile(json, "plan.yaml"), plan);
});

test("aliases repeat what they name", () => {
  const text =
    "decisions:\n  - id: a\n    toolCalls: &calls [{ tool: t, input: {} }]\n  - id: b\n    toolCalls: *calls\n";
  const [a, b] = parsePlanFile(text, "plan.yaml").decisions;
  assert.deepEqual(a?.toolCalls, [{ tool: "t", input: {} }]);
  assert.deepEqual(b?.toolCalls, a?.toolCalls);
});

const inInput = (text: string) => `decisions:\n- id: a\n  toolCalls:\n  - {tool: t, input: {n: ${text}}}\n`;
const bomb = `a: &a [x, x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
d: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
`;

test("what is wrong in a YAML file is told with file, line, column and field", () => {
  const cases: readonly (readonly [text: string, place: string, field: string, message: RegExp])[] = [
    ["name: x\nname: y\ndecisions: []", "2:1", "", /unique/],
    ["decisions: [", "1:13", "", /./],
    ["decisions: []\n\tname: x", "2:1", "", /Tabs/],
    ["name: !!js/function x\ndecisions: []", "1:7", "", /tag/],
    ["name: !mine x\ndecisions: []", "1:7", "", /tag/],
    ["decisions: []\n---\ndecisions: []", "2:1", "", /second YAML document/],
    ["? [a]\n: 1", "1:3", "", /Only plain text can be a key/],
    [bomb, "1:1", "", /aliases/],
    [`a: ${"[".repeat(100_000)}`, "1:", "", /nested too deep/],
    ["decisions: &a\n  - id: q\n    dependsOn: *a\n", "1:1", "", /contains itself/],
    ["decisions:\n  - &x\n    id: a\n  - <<: *x\n    id: b\n", "4:5", "/decisions/1/<<", /not a known field/],
    [inInput("12345678901234567890"), "4:23", "/decisions/0/toolCalls/0/input/n", /beyond/],
    [inInput(".inf"), "4:23", "/decisions/0/toolCalls/0/input/n", /finite/],
    [inInput('"\\ud800"'), "4:23", "/decisions/0/toolCalls/0/input/n", /lone surrogate/],
    [inInput("{__proto__: 1}"), "4:27", "/decisions/0/toolCalls/0/input/n/__proto__", /prototype/],
    ["# plan\ndecisions:\n  - id: a\n    tools: []\n", "4:5", "/decisions/0/tools", /not a known field/],
    ["decisions:\n  - id: 12\n", "2:5", "/decisions/0/id", /must be a string, not a number/],
    ["decisions:\n  - rationale: r\n", "2:5", "/decisions/0/id", /is required/],
    ["", "1:1", "", /must be an object/],
  ];
  for (const [text, place, field, message] of cases) {
    assert.throws(
      () => parsePlanFile(text, "plans/p.yaml"),
      (error: unknown) => {
        assert.ok(error instanceof Error && "field" in error && "details" in error);
        assert.ok(error.message.startsWith(`plans/p.yaml:${place}`), `${error.message} at ${place}`);
        assert.match(error.message, message);
        assert.equal(error.field, field);
        assert.partialDeepStrictEqual(error.details, { file: "plans/p.yaml" });
        return true;
      },
      text.slice(0, 200),
    );
  }
});

test("each of several issues has its place in the file", () => {
  const text = "nmae: n\ndecisions:\n  - id: a\n    tools: []\n  - id: 3\n";
  const places = [
    { field: "/nmae", line: 1, column: 1 },
    { field: "/decisions/0/tools", line: 4, column: 5 },
    { field: "/decisions/1/id", line: 5, column: 5 },
  ];
  assert.throws(
    () => parsePlanFile(text, "p.yaml"),
    (error: unknown) => {
      assert.ok(error instanceof Error && "details" in error);
      assert.partialDeepStrictEqual(error.details, { issues: places, line: 1, column: 1 });
      return true;
    },
  );
});

test("F9: a cycle in a plan file is spelled out where it stands", () => {
  const text = "decisions:\n  - id: a\n    dependsOn: [b]\n  - id: b\n    dependsOn:\n      - a\n";
  assert.throws(() => parsePlanFile(text, "p.yaml"), {
    code: "dependency_cycle",
    message: /^p\.yaml:3:17: .*a needs b needs a/,
  });
});

test("what is wrong in a JSON file is told with file, line and column, whether the text or the plan is at fault", () => {
  const cases: readonly (readonly [text: string | Uint8Array, code: string, message: RegExp])[] = [
    ['{"decisions":[\n {"id":"a" "b"}]}', "malformed_json", /^p\.json:2:12: expected ',' or '}'/],
    [
      '{"decisions":[],\n"decisions":[]}',
      "validation_failed",
      /^p\.json:2:1: the key "decisions" stands twice/,
    ],
    ['{"decisions":[\n {"id":3}]}', "validation_failed", /^p\.json:2:3: \/decisions\/0\/id must be a string/],
    ['{"decisions":[]} # no', "malformed_json", /^p\.json:1:18: /],
    [Uint8Array.of(0xff), "malformed_json", /^p\.json:1:1: The file is not valid UTF-8/],
  ];
  for (const [text, code, message] of cases) {
    assert.throws(() => parsePlanFile(text, "p.json"), { name: "ValidationError", code, message });
  }
});
