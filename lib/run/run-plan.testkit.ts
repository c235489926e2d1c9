import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { contentState } from "../content/content-state.ts";
import type { ContentStore } from "../content/content-store.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { compilePlan } from "../plan/compile-plan.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import { documentSha256 } from "../plan/document-sha256.ts";
import { memoryPlanStore } from "../plan/memory-plan-store.ts";
import { parsePlanDocument } from "../plan/parse-plan-document.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import { openStoredExecutor } from "../runtime/stored-executor.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import { buildTree } from "../tree/build-tree.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import type { Clock, Timer } from "./clock.ts";
import { firstRun } from "./first-run.ts";
import type { Frontier } from "./frontier.ts";
import { itemStepStore } from "./item-step-store.ts";
import { memoryExternalResultStore } from "./memory-external-result-store.ts";
import { memoryFrontierStore } from "./memory-frontier-store.ts";
import { memoryStepItemStore } from "./memory-step-item-store.ts";
import type { RunPorts } from "./run-ports.ts";
import type { Hint } from "./run-store.ts";
import { type SealStatement, sealStatementBytes } from "./seal-statement.ts";
import type { Signer } from "./signer.ts";
import { hintOf } from "./watch-hint.ts";

export const tenant = "acme";
export const planId = "p1";
export const key = { tenant, planId };

/** A clock that tests set. */
export interface TestClock extends Clock {
  epochMs: number;
}

export const testClock = (epochMs = 1_800_000_000_000): TestClock => {
  const clock = { epochMs, now: () => clock.epochMs };
  return clock;
};

export const noTimer: Timer = { after: () => ({ cancel() {} }) };

const pair = generateKeyPairSync("ed25519");
const privateKey = createPrivateKey(pair.privateKey.export({ type: "pkcs8", format: "pem" }));
const publicKey = createPublicKey(privateKey);

export const testSigner: Signer = {
  async sign(bytes) {
    return { algorithm: "Ed25519", keyId: "test", value: sign(null, bytes, privateKey).toString("base64") };
  },
  async publicKey() {
    return publicKey.export({ type: "spki", format: "pem" }).toString();
  },
};

export function isSigned(statement: SealStatement, signature: { readonly value: string }): boolean {
  return verify(null, sealStatementBytes(statement), publicKey, Buffer.from(signature.value, "base64"));
}

export interface SentHint {
  readonly hint: Hint;
  readonly delaySeconds: number;
}

export interface MemoryWorld {
  readonly ports: RunPorts & { readonly plans: PlanStore };
  readonly clock: TestClock;
  readonly content: ContentStore;
  readonly trees: TreeStore;
  readonly sent: SentHint[];
  /** Accepts a plan, as a submission does, over a project with these files. */
  submit(document: unknown, texts?: Readonly<Record<string, string>>): Promise<Frontier>;
}

/** The engine over stores in memory, with the tools that the service has and those given. Hints are kept, not delivered. */
export function memoryWorld(
  options: { readonly tools?: readonly Tool[]; readonly timer?: Timer; readonly clock?: TestClock } = {},
): MemoryWorld {
  const clock = options.clock ?? testClock();
  const content = memoryContentStore();
  const trees = memoryTreeStore();
  const frontiers = memoryFrontierStore();
  const plans = memoryPlanStore();
  const sent: SentHint[] = [];
  const runner = new ToolRunner({
    registry: new ToolRegistry([...builtinTools(), ...(options.tools ?? [])]),
  });
  const contentOf = () => content;
  const ports: MemoryWorld["ports"] = {
    plans,
    frontiers,
    runs: frontiers,
    openRuns: frontiers,
    steps: itemStepStore({ items: memoryStepItemStore(), contentOf }),
    results: memoryExternalResultStore(),
    hints: {
      async send(hint, { delaySeconds = 0 } = {}) {
        sent.push({ hint, delaySeconds });
      },
    },
    contentOf,
    openExecutor: openStoredExecutor({ treesOf: () => trees, runner, clock }),
    signer: testSigner,
    clock,
    timer: options.timer ?? noTimer,
    version: "test",
  };
  let ulids = 0;
  return {
    ports,
    clock,
    content,
    trees,
    sent,
    async submit(document, texts = {}) {
      const bytes = Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)] as const);
      await content.put(bytes.map(([, value]) => value));
      const files = bytes.map(([path, value]) => ({ path, file: contentState(value, "100644") }));
      const { sha256 } = await buildTree(trees, files);
      const plan = await acceptPlan(document, sha256, { plans, content });
      const ids = { ulid: () => `CHANGESET${++ulids}` };
      const { frontier } = await frontiers.create({
        ...firstRun(plan, ids),
        requestedAtEpochMs: clock.now(),
      });
      await ports.hints.send(hintOf(frontier));
      return frontier;
    },
  };
}

async function acceptPlan(
  value: unknown,
  baseTree: string,
  stores: { readonly plans: PlanStore; readonly content: ContentStore },
): Promise<PlanRecord> {
  const document = parsePlanDocument(value);
  const { plan, contents } = compilePlan(document, {
    pinnedResources: [{ name: "app", baseTree, access: "write" }],
  });
  await stores.content.put(contents);
  return stores.plans.create({
    v: 1,
    tenant,
    planId,
    serverPlanId: "pln_01JTEST",
    documentSha256: documentSha256(document),
    submittedBy: "user:ann",
    submittedAtEpochMs: 1_800_000_000_000,
    plan,
  });
}
