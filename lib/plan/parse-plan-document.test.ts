import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import type { ErrorCode } from "../errors/error-code.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { parsePlanDocument } from "./parse-plan-document.ts";
import { planId } from "./plan-id.ts";
import { documentResources } from "./resource-rules.ts";

const refusal = (value: unknown): ValidationError => {
  try {
    parsePlanDocument(value);
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: `not refused: ${JSON.stringify(value).slice(0, 200)}` });
};

const withDecision = (decision: object) => ({ decisions: [{ id: "a" }, { id: "b", ...decision }] });
const withCall = (call: unknown) => withDecision({ toolCalls: [{ tool: "t", input: {} }, call] });
const withResources = (projectResources: unknown, resourceBindings: unknown = {}) => ({
  decisions: [],
  projectResources,
  resourceBindings,
});

test("the contract's example is a plan, and only its decisions are required", () => {
  const example = {
    name: "rename the config module",
    decisionRootId: "d0",
    automationProfile: "manual",
    projectResources: { app: { project: "local/app" } },
    resourceBindings: { repo: "app" },
    decisions: [
      {
        id: "d1",
        parentId: "d0",
        rationale: "the name misleads",
        dependsOn: [],
        toolCalls: [{ tool: "move_file", input: { source: "src/conf.ts", destination: "src/config.ts" } }],
      },
    ],
  };
  assert.deepEqual(parsePlanDocument(example), example);
  assert.deepEqual(parsePlanDocument({ decisions: [] }), { decisions: [] });
  assert.deepEqual(parsePlanDocument({ decisions: [{ id: "a" }] }), { decisions: [{ id: "a" }] });
});

test("every rule of the document is refused by its code and its field", () => {
  const hash = "a".repeat(64);
  const cases: readonly (readonly [value: unknown, field: string, code?: ErrorCode])[] = [
    [null, ""],
    [[], ""],
    ["plan", ""],
    [{}, "/decisions"],
    [{ decisions: {} }, "/decisions"],
    [{ decisions: [], planId: "p" }, "/planId"],
    [{ decisions: [], "a/b": 1 }, "/a~1b"],
    [{ decisions: [], name: 7 }, "/name"],
    [{ decisions: [], decisionRootId: "" }, "/decisionRootId"],
    [{ decisions: [], automationProfile: "yolo" }, "/automationProfile", "unknown_profile"],
    [{ decisions: [], automationProfile: 1 }, "/automationProfile", "unknown_profile"],
    [{ decisions: [3] }, "/decisions/0"],
    [{ decisions: [{}] }, "/decisions/0/id"],
    [withDecision({ id: "-b" }), "/decisions/1/id"],
    [withDecision({ id: "b/c" }), "/decisions/1/id"],
    [withDecision({ id: "b\n" }), "/decisions/1/id"],
    [withDecision({ id: "x".repeat(129) }), "/decisions/1/id"],
    [withDecision({ reason: "r" }), "/decisions/1/reason"],
    [withDecision({ rationale: ["r"] }), "/decisions/1/rationale"],
    [withDecision({ dependsOn: "a" }), "/decisions/1/dependsOn"],
    [withDecision({ dependsOn: ["a", 1] }), "/decisions/1/dependsOn/1"],
    [withDecision({ toolCalls: {} }), "/decisions/1/toolCalls"],
    [withCall({ tool: "t" }), "/decisions/1/toolCalls/1/input"],
    [withCall({ tool: "", input: {} }), "/decisions/1/toolCalls/1/tool"],
    [withCall({ tool: 1, input: {} }), "/decisions/1/toolCalls/1/tool"],
    [withCall({ tool: "t", input: [] }), "/decisions/1/toolCalls/1/input"],
    [withCall({ tool: "t", input: {}, id: 1 }), "/decisions/1/toolCalls/1/id"],
    [withDecision({ dependsOn: ["z"] }), "/decisions/1/dependsOn/0", "unknown_dependency"],
    [withDecision({ id: "a" }), "/decisions/1/id", "duplicate_decision"],
    [withDecision({ dependsOn: ["b"] }), "/decisions/1/dependsOn/0", "dependency_cycle"],
    [withDecision({ parentId: "z" }), "/decisions/1/parentId"],
    [withDecision({ parentId: "b" }), "/decisions/1/parentId"],
    [{ ...withDecision({ parentId: "a" }), decisionRootId: "b" }, "/decisions/1/parentId"],
    [withResources([]), "/projectResources"],
    [withResources({ "a b": {} }), "/projectResources/a b"],
    [withResources({ a: null }), "/projectResources/a"],
    [withResources({ a: { path: "." } }), "/projectResources/a/path"],
    [withResources({ a: { access: "admin" } }), "/projectResources/a/access"],
    [withResources({ a: { project: "app" } }), "/projectResources/a/project"],
    [withResources({ a: { project: `local/${"x".repeat(65)}` } }), "/projectResources/a/project"],
    [withResources({ a: { tree: hash.toUpperCase() } }), "/projectResources/a/tree"],
    [withResources({ a: {}, b: {} }), "/projectResources"],
    [withResources({ a: { access: "write" }, b: { access: "write" } }), "/projectResources/b/access"],
    [withResources({ a: {} }, { repo: 1 }), "/resourceBindings/repo"],
    [withResources({ a: {} }, { repo: "b" }), "/resourceBindings/repo", "unknown_resource"],
    [withResources({ a: {} }, { x: "a", repo: "x" }), "/resourceBindings/repo", "unknown_resource"],
    [withResources({ a: { access: "write" }, b: {} }, { b: "a" }), "/resourceBindings/b"],
  ];
  for (const [value, field, code = "validation_failed"] of cases) {
    const error = refusal(value);
    assert.deepEqual([error.code, error.field], [code, field], JSON.stringify(value));
    assert.equal(error.details.field, field);
    assert.doesNotMatch(error.message, /Invalid input|undefined/);
  }
});

test("an unknown profile is refused with the list of those there are", () => {
  const error = refusal({ decisions: [], automationProfile: "yolo" });
  assert.match(error.message, /'manual', 'review', 'auto'/);
  assert.deepEqual(error.details.allowed, ["manual", "review", "auto"]);
});

test("every limit has its named error, with the limit and what was found", () => {
  const call = { tool: "t", input: {} };
  const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const names = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
  const inputOf = (bytes: number) => ({ tool: "t", input: { c: "é".repeat((bytes - 8) / 2) } });
  const cases: readonly (readonly [within: unknown, beyond: unknown, field: string, limit: number])[] = [
    [
      withDecision({ toolCalls: Array(100).fill(call) }),
      withDecision({ toolCalls: Array(101).fill(call) }),
      "/decisions/1/toolCalls",
      100,
    ],
    [withCall(inputOf(262_144)), withCall(inputOf(262_146)), "/decisions/1/toolCalls/1/input", 262_144],
    [
      withDecision({ rationale: "x".repeat(65_536) }),
      withDecision({ rationale: "x".repeat(65_537) }),
      "/decisions/1/rationale",
      65_536,
    ],
    [{ decisions: [], name: "x".repeat(512) }, { decisions: [], name: "x".repeat(513) }, "/name", 512],
    [
      withResources(names(64, { access: "read" })),
      withResources(names(65, { access: "read" })),
      "/projectResources",
      64,
    ],
    [
      withResources({ a: {} }, names(256, "a")),
      withResources({ a: {} }, names(257, "a")),
      "/resourceBindings",
      256,
    ],
    [
      withCall({ tool: "t", input: { x: nested(58) } }),
      withCall({ tool: "t", input: { x: nested(59) } }),
      `/decisions/1/toolCalls/1/input/x${"/0".repeat(58)}`,
      64,
    ],
  ];
  for (const [within, beyond, field, limit] of cases) {
    assert.doesNotThrow(() => parsePlanDocument(within), field);
    const error = refusal(beyond);
    assert.deepEqual([error.code, error.field, error.details.limit], ["limit_exceeded", field, limit]);
    assert.ok(typeof error.details.found === "number" && error.details.found > limit, field);
  }
});

test("a list of more than a million decisions is refused before any of them is read", () => {
  const error = refusal({ decisions: Array(1_000_001).fill(0) });
  assert.deepEqual(
    [error.code, error.field, error.details.limit, error.details.found],
    ["limit_exceeded", "/decisions", 1_000_000, 1_000_001],
  );
});

test("all issues are listed in document order, twenty at most, the first one speaking", () => {
  const error = refusal({ decisions: Array.from({ length: 50 }, () => ({ id: 1 })) });
  assert.equal(error.field, "/decisions/0/id");
  const { issues } = error.details;
  assert.ok(Array.isArray(issues));
  assert.deepEqual(
    issues,
    Array.from({ length: 20 }, (_, index) => ({
      field: `/decisions/${index}/id`,
      code: "validation_failed",
      message: "must be a string, not a number",
    })),
  );
});

test("mistyped fields of the plan and of its decisions are listed together, with the fields that there are", () => {
  const error = refusal({ nmae: "n", decisions: [{ id: "a", dependson: [] }, { id: "b c" }] });
  assert.deepEqual(
    [error.field, error.message],
    [
      "/nmae",
      "/nmae is not a known field here (there: name, decisionRootId, automationProfile, projectResources, resourceBindings, decisions).",
    ],
  );
  const { issues } = error.details;
  assert.ok(Array.isArray(issues));
  assert.deepEqual(
    issues.map(({ field }) => field),
    ["/nmae", "/decisions/0/dependson", "/decisions/1/id"],
  );
  assert.match(issues[1].message, /\(there: id, parentId, rationale, dependsOn, toolCalls\)$/);
  const inCall = refusal(withCall({ tol: "t", input: {} }));
  assert.match(JSON.stringify(inCall.details.issues), /\(there: tool, input\)/);
  const inResource = refusal(withResources({ app: { acess: "read" } }));
  assert.match(inResource.message, /app\/acess is not .* \(there: project, tree, access\)/);
});

test("values that are no JSON, and keys that reach for prototypes, are refused in process too", () => {
  const cases: readonly (readonly [input: unknown, field: string])[] = [
    [JSON.parse('{"__proto__":{"x":1}}'), "/__proto__"],
    [JSON.parse('{"constructor":{"prototype":1}}'), "/constructor/prototype"],
    [{ n: Number.NaN }, "/n"],
    [{ n: 2 ** 53 }, "/n"],
    [{ s: "\ud800" }, "/s"],
    [{ u: undefined }, "/u"],
    [{ d: new Date(0) }, "/d"],
    [{ b: 1n }, "/b"],
  ];
  for (const [input, field] of cases) {
    assert.equal(refusal(withCall({ tool: "t", input })).field, `/decisions/1/toolCalls/1/input${field}`);
  }
});

test("names that objects inherit are names like others", () => {
  const document = {
    projectResources: { constructor: {} },
    resourceBindings: { toString: "constructor" },
    decisions: [{ id: "valueOf", toolCalls: [{ tool: "hasOwnProperty", input: { constructor: 1 } }] }],
  };
  assert.deepEqual(parsePlanDocument(document), document);
  assert.equal(refusal(withResources({ a: {} }, { x: "toString" })).code, "unknown_resource");
});

test("project ids that differ only in their normal form are one", () => {
  const parsed = parsePlanDocument(withResources({ a: { project: "local/cafe\u0301" } }));
  assert.equal(parsed.projectResources?.a?.project, "local/café");
});

test("the only resource is writable by default, one of several must say so, and without any there is an empty one", () => {
  const accessOf = (projectResources: unknown) =>
    documentResources(parsePlanDocument(withResources(projectResources))).map(({ name, access }) => [
      name,
      access,
    ]);
  assert.deepEqual(accessOf({ a: {} }), [["a", "write"]]);
  assert.deepEqual(accessOf({ a: { access: "read" } }), [["a", "read"]]);
  assert.deepEqual(accessOf({ b: { access: "write" }, a: {} }), [
    ["a", "read"],
    ["b", "write"],
  ]);
  assert.deepEqual(accessOf({}), [["workspace", "write"]]);
});

test("plan ids are the caller's own, but for the service's prefix", () => {
  for (const id of ["p", "plan-001", "01J9ZQ", "a".repeat(128), "PLN_1", "pln-1"]) {
    assert.ok(z.safeParse(planId, id).success, id);
  }
  for (const id of ["", "-a", "a b", "a/b", "é", "a\n", "a".repeat(129), "pln_01J9", 3, undefined]) {
    assert.ok(!z.safeParse(planId, id).success, String(id));
  }
});
