import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sha256Hex } from "../canonical/sha256.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { compilePlan } from "./compile-plan.ts";
import { decisionSource } from "./decision-source.ts";
import { parsePlanDocument } from "./parse-plan-document.ts";
import { planDocuments } from "./plan-document.testkit.ts";
import type { DecisionDocument, PlanDocument } from "./plan-document.ts";

const pinnedResources = [{ name: "app", baseTree: "0".repeat(64), access: "write" as const }];

const contentOf = (contents: readonly Uint8Array[]) => {
  const bySha256 = new Map(contents.map((bytes) => [sha256Hex(bytes), bytes]));
  const reads: string[] = [];
  return {
    reads,
    bySha256,
    get: async (sha256: string) => {
      reads.push(sha256);
      return bySha256.get(sha256);
    },
  };
};

const decisionsOf = (count: number, contentChars: number): DecisionDocument[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `d${index}`,
    ...(index % 3 === 2 ? { dependsOn: [`d${index - 1}`, `d${index - 2}`] } : {}),
    toolCalls: [{ tool: "write_file", input: { path: `f${index}`, content: "x".repeat(contentChars) } }],
  }));

test("a small plan is inline, with its defaults, its order and its dependencies resolved", () => {
  const document = parsePlanDocument({
    name: "n",
    decisionRootId: "root",
    resourceBindings: { repo: "app" },
    projectResources: { app: {} },
    decisions: [
      { id: "late", dependsOn: ["b", "a", "b"], parentId: "root" },
      { id: "a", rationale: "because" },
      { id: "b", toolCalls: [{ tool: "t", input: { n: 1 } }] },
    ],
  });
  assert.deepEqual(compilePlan(document, { pinnedResources }), {
    plan: {
      name: "n",
      decisionRootId: "root",
      automationProfile: "manual",
      resources: pinnedResources,
      resourceBindings: { repo: "app" },
      decisionCount: 3,
      decisions: {
        kind: "inline",
        decisions: [
          { ordinal: 0, id: "a", rationale: "because", dependsOn: [], toolCalls: [] },
          { ordinal: 1, id: "b", dependsOn: [], toolCalls: [{ tool: "t", input: { n: 1 } }] },
          { ordinal: 2, id: "late", parentId: "root", dependsOn: [0, 1], toolCalls: [] },
        ],
      },
    },
    contents: [],
  });
});

test("a plan without decisions is a plan", () => {
  const { plan, contents } = compilePlan(parsePlanDocument({ decisions: [] }), { pinnedResources });
  assert.equal(plan.decisionCount, 0);
  assert.deepEqual(plan.decisions, { kind: "inline", decisions: [] });
  assert.deepEqual(contents, []);
});

test("decisions read back as they were, whether inline or in chunks, and depend on earlier ones only", async () => {
  await fc.assert(
    fc.asyncProperty(planDocuments, fc.constantFrom(0, 20_000), async (document, padding) => {
      const padded: PlanDocument = {
        ...document,
        decisions: document.decisions.map((decision) => ({ ...decision, rationale: "r".repeat(padding) })),
      };
      const { plan, contents } = compilePlan(parsePlanDocument(padded), { pinnedResources });
      const source = decisionSource({ plan, content: contentOf(contents) });
      const decisions = await source.range(0, source.count);
      assert.equal(decisions.length, padded.decisions.length);
      for (const [ordinal, decision] of decisions.entries()) {
        const original = padded.decisions.find(({ id }) => id === decision.id);
        assert.equal(decision.ordinal, ordinal);
        assert.equal(await source.ordinalOf(decision.id), ordinal);
        assert.ok(decision.dependsOn.every((dependency) => dependency < ordinal));
        assert.deepEqual(
          new Set(decision.dependsOn.map((dependency) => decisions[dependency]?.id)),
          new Set(original?.dependsOn),
        );
        assert.equal(decision.rationale, original?.rationale);
        assert.deepEqual(decision.toolCalls, original?.toolCalls ?? []);
      }
      assert.equal(await source.ordinalOf("unknown"), undefined);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test("chunks hold at most 256 decisions and about a MiB, and a page lists what its chunks hold", () => {
  for (const [count, chars] of [
    [1000, 300],
    [100, 60_000],
    [7, 250_000],
  ] as const) {
    const { plan, contents } = compilePlan({ decisions: decisionsOf(count, chars) }, { pinnedResources });
    assert.equal(plan.decisions.kind, "chunked");
    const sizes = contents.map(({ byteLength }) => byteLength);
    assert.ok(Math.max(...sizes) <= 1024 * 1024 + 2, `${Math.max(...sizes)}`);
    assert.ok(contents.length - 2 >= count / 256);
    assert.ok(contents.length - 2 >= (count * chars) / (1024 * 1024));
  }
});

test("a decision larger than a chunk has one of its own", async () => {
  const call = { tool: "write_file", input: { content: "x".repeat(250_000) } };
  const decisions = [
    { id: "a" },
    { id: "big", toolCalls: Array.from({ length: 8 }, () => call) },
    { id: "z" },
  ];
  const { plan, contents } = compilePlan(parsePlanDocument({ decisions }), { pinnedResources });
  const source = decisionSource({ plan, content: contentOf(contents) });
  assert.deepEqual(
    (await source.range(0, 3)).map(({ id, toolCalls }) => [id, toolCalls.length]),
    [
      ["a", 0],
      ["big", 8],
      ["z", 0],
    ],
  );
});

test("the same document and pins compile to the same bytes", () => {
  const compile = () => compilePlan({ decisions: decisionsOf(600, 300) }, { pinnedResources });
  assert.deepEqual(compile(), compile());
});

test("F8: of 100,000 decisions the last loads no more than the first, and the record stays small", async () => {
  const count = 100_000;
  const { plan, contents } = compilePlan(parsePlanDocument({ decisions: decisionsOf(count, 40) }), {
    pinnedResources,
  });
  assert.ok(JSON.stringify(plan).length < 2000);
  for (const ordinal of [0, 65_535, 65_536, count - 1]) {
    const content = contentOf(contents);
    const source = decisionSource({ plan, content });
    assert.equal((await source.at(ordinal))?.id, `d${ordinal}`);
    assert.equal(content.reads.length, 2);
    await source.range(Math.max(0, ordinal - 3), ordinal + 1);
    assert.ok(content.reads.length <= 4, "the parts that were read a moment ago are kept");
  }
  const source = decisionSource({ plan, content: contentOf(contents) });
  const across = await source.range(65_500, 66_500);
  assert.deepEqual(
    across.map(({ ordinal }) => ordinal),
    Array.from({ length: 1000 }, (_, index) => 65_500 + index),
  );
  assert.deepEqual(await source.range(count, count + 5), []);
  assert.equal(await source.at(-1), undefined);
  assert.equal(await source.ordinalOf("d99999"), 99_999);
});

test("content that is missing is a fault that may pass, and the next read tries again", async () => {
  const { plan, contents } = compilePlan({ decisions: decisionsOf(300, 300) }, { pinnedResources });
  const content = contentOf(contents);
  const source = decisionSource({ plan, content });
  const kept = new Map(content.bySha256);
  content.bySha256.clear();
  for (const read of [() => source.at(0), () => source.ordinalOf("d0")]) {
    await assert.rejects(read, { name: "InfrastructureError", code: "unavailable", retryable: true });
  }
  for (const [sha256, bytes] of kept) content.bySha256.set(sha256, bytes);
  assert.equal((await source.at(0))?.id, "d0");
  assert.equal(await source.ordinalOf("d0"), 0);
});
