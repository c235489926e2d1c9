import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { sha256Hex } from "../canonical/sha256.ts";
import type { Tool } from "../tools/tool.ts";
import { advanceRun } from "./advance-run.ts";
import { callInputs } from "./call-inputs.ts";
import { commitStep } from "./commit-step.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { deltaOver, type KeptContent, maxDeltaDepth, wholeOf } from "./kept-content.ts";
import { loadRunState } from "./live-run-state.ts";
import { readEntryContent, readRunState } from "./read-run-state.ts";
import { resumePlan } from "./resume-plan.ts";
import { key, type MemoryWorld, memoryWorld } from "./run-plan.testkit.ts";
import { begin } from "./run-progress.ts";
import { type StepContents, stepBuilder } from "./step-builder.ts";
import { hintOf } from "./watch-hint.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 200);
const run1 = { ...key, run: 1 };
const base = (bytes: Uint8Array, depth = 0) => ({ base: { sha256: sha256Hex(bytes), bytes, depth } });
const inputs = (bytes: Uint8Array) => ({ inputs: { ordinal: 7, bytes } });

test("a delta gives back the content byte for byte, whatever it is made of", () => {
  const dictionary = fc.constant(Uint8Array.of(0x37, 0xa4, 0x30, 0xec, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  const long = fc.uint8Array({ minLength: 200, maxLength: 1_500, size: "max" });
  const bytes = fc.oneof({ weight: 4, arbitrary: long }, fc.constant(new Uint8Array()), dictionary);
  const met = new Set<string>();
  fc.assert(
    fc.property(bytes, bytes, fc.nat(1_500), fc.boolean(), (before, inserted, at, isNew) => {
      const after = Buffer.concat([before.subarray(0, at), inserted, before.subarray(at)]);
      const kept = deltaOver({ ...(isNew ? {} : base(before)), ...inputs(inserted) }, after);
      if (kept === undefined || kept.kind === "whole") return;
      met.add(`${kept.base !== undefined} ${kept.inputsOf !== undefined} ${kept.depth}`);
      const over = {
        base: kept.base === undefined ? undefined : before,
        inputs: kept.inputsOf === undefined ? undefined : inserted,
      };
      assert.deepEqual(Buffer.from(wholeOf(kept.bytes, over, sha256Hex(after))), after);
    }),
    { numRuns },
  );
  assert.deepEqual([...met].sort(), ["false true 0", "true false 1", "true true 1"]);
});

test("a delta over other bytes than it was made of is an error, and never other content", () => {
  const before = new Uint8Array(randomBytes(4_000));
  const after = Uint8Array.from(before);
  after.set(Buffer.from("edited"), 2_000);
  const kept = deltaOver(base(before), after);
  assert.ok(kept?.kind === "delta");
  const other = Uint8Array.from(before);
  other[100] = (other[100] ?? 0) ^ 1;
  const refusal = { code: "internal", message: /cannot be read back/ };
  assert.throws(() => wholeOf(kept.bytes, { base: other }, sha256Hex(after)), refusal);
  assert.throws(() => wholeOf(kept.bytes, {}, sha256Hex(after)), refusal);
  assert.throws(() => wholeOf(kept.bytes.subarray(3), { base: before }, sha256Hex(after)), refusal);
});

test("what a call's input holds is kept as some tens of bytes, without a base where the input is all of it", () => {
  const text = new Uint8Array(randomBytes(2_048));
  const before = new Uint8Array(randomBytes(2_048));
  const rewrite = deltaOver({ ...base(before), ...inputs(Buffer.concat([before, text])) }, text);
  assert.ok(rewrite?.kind === "delta" && rewrite.base === undefined && rewrite.depth === 0);
  assert.ok(rewrite.bytes.length < 60);
  const large = new Uint8Array(randomBytes(50_000));
  const edited = Buffer.concat([large.subarray(0, 20_000), text, large.subarray(20_000)]);
  const edit = deltaOver({ ...base(large), ...inputs(text) }, edited);
  assert.ok(edit?.kind === "delta" && edit.base !== undefined && edit.inputsOf === 7 && edit.depth === 1);
  assert.ok(edit.bytes.length < 80);
  // As deep as can be: what the input holds is kept over that alone.
  assert.equal(deltaOver({ ...base(large, maxDeltaDepth), ...inputs(text) }, text)?.kind, "delta");
  assert.equal(deltaOver({ ...base(large, maxDeltaDepth), ...inputs(text) }, edited), undefined);
});

test("a small edit of a large file is some tens of bytes; other content, and what is deep, is kept whole", () => {
  const before = new Uint8Array(randomBytes(50_000));
  const after = Uint8Array.from(before);
  after.set(Buffer.from("edited"), 25_000);
  assert.ok((deltaOver(base(before), after)?.bytes.length ?? 1_000) < 60);
  assert.equal(deltaOver(base(before), new Uint8Array(randomBytes(50_000))), undefined);
  assert.equal(deltaOver(base(before, maxDeltaDepth), after), undefined);
  assert.equal(deltaOver(base(new Uint8Array()), after), undefined);
});

test("a file that is edited again and again is kept as deltas of bounded depth, and every state of it reads back", async () => {
  const world = memoryWorld();
  const lines = Array.from({ length: 400 }, () => randomBytes(32).toString("hex"));
  const marker = (index: number) => `// marker ${index} of many\n`;
  const edits = 40;
  await world.submit(
    {
      projectResources: { app: { project: "local/app" } },
      decisions: Array.from({ length: edits }, (_, index) => ({
        id: `d${index}`,
        toolCalls: [
          {
            tool: "edit_file",
            input: { path: "a.ts", edits: [{ oldText: marker(index), newText: marker(index + 1) }] },
          },
        ],
      })),
    },
    { "a.ts": `${marker(0)}${lines.join("\n")}\n` },
  );
  const deadlineEpochMs = world.clock.now() + 60_000;
  await advanceRun({ hint: hintOf(run1), deadlineEpochMs, receiveCount: 1 }, world.ports);
  const steps = await world.ports.steps.range({ ...run1, from: 0, before: edits, limit: 10 });
  assert.equal(steps.length, 2);
  const depth = (kept: KeptContent) => (kept.kind === "whole" ? 0 : kept.depth);
  const depths = steps.flatMap(({ contents }) => [...contents.values()].map(depth));
  assert.equal(Math.max(...depths), maxDeltaDepth);
  assert.ok(depths.filter((one) => one === 0).length <= edits / maxDeltaDepth);
  for (let ordinal = 0; ordinal < edits; ordinal += 1) {
    const record = steps.flatMap(({ decisions }) => decisions)[ordinal];
    for (const [state, index] of [
      [record?.entries[0]?.before, ordinal],
      [record?.entries[0]?.after, ordinal + 1],
    ] as const) {
      const content = await readEntryContent({ ...run1, ordinal }, state?.sha256 ?? "", world.ports);
      assert.equal(sha256Hex(content ?? new Uint8Array()), state?.sha256);
      assert.ok(
        Buffer.from(content ?? [])
          .toString()
          .startsWith(marker(index)),
      );
    }
  }
  const { state } = await readRunState(run1, world.ports);
  const final = state.overlay.get("app")?.get("a.ts")?.file?.sha256 ?? "";
  assert.equal(sha256Hex((await state.content.get(final)) ?? new Uint8Array()), final);
});

/** Writes of whole files, an edit, and a decision that fails until it is corrected. */
const written = Array.from({ length: 6 }, () => randomBytes(1_500).toString("base64"));
const writing = {
  projectResources: { app: { project: "local/app" } },
  decisions: [
    ...written.slice(0, 4).map((content, index) => ({
      id: `write-${index}`,
      // The second file is written over twice; one of them is given as base64.
      toolCalls: [
        {
          tool: "write_file",
          input: {
            path: `${Math.min(index, 1)}.txt`,
            ...(index === 2
              ? { content: Buffer.from(content.slice(9)).toString("base64"), encoding: "base64" }
              : { content }),
          },
        },
      ],
    })),
    {
      id: "edit",
      toolCalls: [
        {
          tool: "edit_file",
          input: { path: "1.txt", edits: [{ oldText: (written[3] ?? "").slice(0, 9), newText: "mended" }] },
        },
      ],
    },
    { id: "refused", toolCalls: [{ tool: "delete_file", input: { path: "no.txt" } }] },
  ],
};

test("content that stands in the calls' inputs is not kept again, and reads back in this run and the next", async () => {
  const world = memoryWorld();
  await world.submit(writing);
  const request = { deadlineEpochMs: world.clock.now() + 60_000, receiveCount: 1 };
  await advanceRun({ hint: hintOf(run1), ...request }, world.ports);
  const toolCalls = {
    refused: [{ tool: "write_file", input: { path: "2.txt", content: `${written[4]}${written[5]}` } }],
  };
  const ids = { ulid: () => "01JB0000000000000000000000" };
  const further = await resumePlan(key, { by: "ada", toolCalls }, { ...world.ports, ids });
  await advanceRun({ hint: hintOf(further), ...request }, world.ports);

  for (const { run, count } of [
    { run: 1, count: 5 },
    { run: 2, count: 1 },
  ]) {
    const steps = await world.ports.steps.range({ ...key, run, from: 0, before: 6, limit: 10 });
    const contents = steps.flatMap((step) => [...step.contents.values()]);
    assert.equal(contents.length, count);
    for (const kept of contents) {
      assert.ok(kept.kind === "delta" && kept.inputsOf !== undefined && kept.bytes.length < 100);
    }
    for (const { ordinal, entries } of steps.flatMap(({ decisions }) => decisions)) {
      for (const { after } of entries) {
        const content = await readEntryContent({ ...key, run, ordinal }, after?.sha256 ?? "", world.ports);
        assert.equal(sha256Hex(content ?? new Uint8Array()), after?.sha256);
      }
    }
  }
  const { state } = await readRunState({ ...key, run: 2 }, world.ports);
  const files = [...(state.overlay.get("app") ?? [])];
  assert.deepEqual(files.map(([path]) => path).sort(), ["0.txt", "1.txt", "2.txt"]);
  for (const [, { file }] of files) {
    assert.equal(sha256Hex((await state.content.get(file?.sha256 ?? "")) ?? new Uint8Array()), file?.sha256);
  }
});

test("a file edited beyond a checkpoint goes on being kept as deltas", async () => {
  const world = memoryWorld();
  const large = randomBytes(4_000).toString("base64");
  const edits = 6;
  await world.submit(
    {
      projectResources: { app: { project: "local/app" } },
      decisions: Array.from({ length: edits }, (_, index) => ({
        id: `d${index}`,
        toolCalls: [
          {
            tool: "edit_file",
            input: { path: "a.txt", edits: [{ oldText: `#${index}#`, newText: `#${index + 1}#` }] },
          },
        ],
      })),
    },
    { "a.txt": `#0#${large}` },
  );
  // Of an invocation whose time is up after each decision, with a checkpoint after each.
  const content = world.ports.contentOf(key.tenant);
  const inputs = callInputs(key, world.ports);
  for (let position = 0; position < edits; position += 1) {
    const deadlineEpochMs = world.clock.now();
    await advanceRun({ hint: hintOf(run1), deadlineEpochMs, receiveCount: 1 }, world.ports);
    const frontier = await world.ports.frontiers.read(run1);
    assert.ok(frontier !== undefined && frontier.position === position + 1);
    if (frontier.state.phase !== "running") break;
    const state = await loadRunState(frontier, { steps: world.ports.steps, content, inputs });
    const checkpoint = await state.checkpoint(frontier.position);
    const moved = { ...frontier, revision: frontier.revision + 1, checkpoint };
    assert.ok(await world.ports.frontiers.move(moved));
  }
  const steps = await world.ports.steps.range({ ...run1, from: 0, before: edits, limit: 10 });
  const kinds = steps.flatMap(({ contents }) => [...contents.values()].map(({ kind }) => kind));
  assert.equal(kinds.length, edits);
  // At most one, where the file became as deep as can be.
  assert.ok(kinds.filter((kind) => kind === "whole").length <= 1, kinds.join());
});

test("content that is written again as it stood before a checkpoint is found behind it", async () => {
  const wait: Tool = {
    name: "wait",
    description: "Takes so long that each decision is a step of its own.",
    inputSchema: { type: "object" },
    effect: "read",
    async run() {
      world.clock.epochMs += 300;
      return { output: "" };
    },
  };
  const world: MemoryWorld = memoryWorld({ tools: [wait] });
  const texts = new Map([0, 1, 66].map((at, index) => [at, written[index % 2] ?? ""]));
  await world.submit({
    projectResources: { app: { project: "local/app" } },
    decisions: Array.from({ length: 70 }, (_, index) => {
      const content = texts.get(index);
      const write = { tool: "write_file", input: { path: "a.txt", content } };
      return { id: `d${index}`, toolCalls: [{ tool: "wait", input: {} }, ...(content ? [write] : [])] };
    }),
  });
  const request = { deadlineEpochMs: world.clock.now() + 60_000, receiveCount: 1 };
  await advanceRun({ hint: hintOf(run1), ...request }, world.ports);
  const { view, state } = await readRunState(run1, world.ports);
  assert.deepEqual([view.frontier.state.phase, view.frontier.checkpoint?.position], ["completed", 64]);
  const sha256 = state.overlay.get("app")?.get("a.txt")?.file?.sha256 ?? "";
  assert.equal(Buffer.from((await state.content.get(sha256)) ?? []).toString(), written[0]);
});

test("a step of the same decisions whose content lies elsewhere is another worker's", async () => {
  const world = memoryWorld();
  const submitted = await world.submit({ decisions: [{ id: "d0", toolCalls: [] }] });
  const run = await world.ports.runs.getRun(run1);
  assert.ok(run !== undefined);
  const frontier = begin(submitted, run, world.clock.now());
  assert.ok(await world.ports.frontiers.move(frontier));
  const record: DecisionRecord = {
    ordinal: 0,
    decisionId: "d0",
    outcome: { status: "landed" },
    calls: [],
    entries: [],
    reads: [],
    startedAtEpochMs: world.clock.now(),
    durationMs: 0,
  };
  const bytes = new Uint8Array(randomBytes(9));
  const stepWith = (contents: StepContents) => {
    const builder = stepBuilder(frontier);
    builder.add(record, contents);
    return builder.step("test");
  };
  const older = { run: 1, from: 0, epoch: 0 };
  const theirs = stepWith({ inStep: new Map(), at: new Map([[sha256Hex(bytes), older]]) });
  await world.ports.steps.putIfAbsent(key, theirs);
  const own = stepWith({ inStep: new Map([[sha256Hex(bytes), { kind: "whole", bytes }]]), at: new Map() });
  assert.equal(own.ledgerHead, theirs.ledgerHead);
  const { adopted } = await commitStep(frontier, { step: own, watch: 0, spent: {} }, world.ports);
  assert.ok(adopted);
});
