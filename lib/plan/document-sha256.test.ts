import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sha256Hex } from "../canonical/sha256.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { documentSha256 } from "./document-sha256.ts";
import { parsePlanDocument } from "./parse-plan-document.ts";
import { planDocuments } from "./plan-document.testkit.ts";
import type { PlanDocument } from "./plan-document.ts";

const keysReversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(keysReversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, keysReversed(member)]),
  );
};

const withEveryDefault = (document: PlanDocument): PlanDocument => {
  const resources = Object.entries(document.projectResources ?? {});
  const access = resources.length === 1 ? ("write" as const) : ("read" as const);
  return {
    automationProfile: "manual",
    resourceBindings: {},
    ...document,
    projectResources: Object.fromEntries(
      resources.map(([name, resource]) => [name, { ...resource, access: resource.access ?? access }]),
    ),
    decisions: document.decisions.map((decision) => ({ dependsOn: [], toolCalls: [], ...decision })),
  };
};

test("a plan's hash does not depend on the order of keys or on defaults that are spelled out", () => {
  fc.assert(
    fc.property(planDocuments, (document) => {
      const hash = documentSha256(parsePlanDocument(document));
      assert.equal(documentSha256(parsePlanDocument(keysReversed(document))), hash);
      assert.equal(documentSha256(parsePlanDocument(withEveryDefault(document))), hash);
    }),
    { numRuns: propertyRuns(300) },
  );
});

test("a plan's hash is that of its canonical form without defaults", () => {
  const document = parsePlanDocument({
    automationProfile: "manual",
    decisions: [
      { toolCalls: [{ tool: "write_file", input: { path: "a", content: "é" } }], dependsOn: [], id: "d1" },
    ],
    projectResources: { app: { access: "write", project: "local/app" } },
  });
  const form =
    '{"decisions":[{"id":"d1","toolCalls":[{"input":{"content":"é","path":"a"},"tool":"write_file"}]}],"projectResources":{"app":{"project":"local/app"}}}';
  assert.equal(documentSha256(document), sha256Hex(form));
});

test("whatever changes what a plan does, or says, changes its hash", () => {
  const plan: PlanDocument = {
    name: "n",
    projectResources: { app: {}, lib: { access: "write" } },
    decisions: [{ id: "a", toolCalls: [{ tool: "t", input: { dependsOn: [] } }] }, { id: "b" }],
  };
  const others: readonly PlanDocument[] = [
    { ...plan, name: "m" },
    { ...plan, name: undefined },
    { ...plan, automationProfile: "auto" },
    { ...plan, decisionRootId: "a" },
    { ...plan, projectResources: { app: {}, lib: { access: "read" } } },
    { ...plan, projectResources: { app: { project: "local/app" }, lib: { access: "write" } } },
    { ...plan, resourceBindings: { repo: "app" } },
    { ...plan, decisions: plan.decisions.toReversed() },
    { ...plan, decisions: [{ id: "a", toolCalls: [{ tool: "t", input: {} }] }, { id: "b" }] },
    { ...plan, decisions: plan.decisions.map((decision) => ({ ...decision, rationale: "" })) },
    { ...plan, decisions: plan.decisions.map((decision) => ({ ...decision, parentId: "a" })) },
  ];
  const hashes = new Set([plan, ...others].map(documentSha256));
  assert.equal(hashes.size, others.length + 1);
});
