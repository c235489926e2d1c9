import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { sha256Hex } from "../canonical/sha256.ts";
import { advanceRun } from "./advance-run.ts";
import { deltaOver, type KeptContent, maxDeltaDepth, wholeOf } from "./kept-content.ts";
import { readEntryContent, readRunState } from "./read-run-state.ts";
import { key, memoryWorld } from "./run-plan.testkit.ts";
import { hintOf } from "./watch-hint.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 200);
const run1 = { ...key, run: 1 };
const base = (bytes: Uint8Array, depth = 0) => ({ sha256: sha256Hex(bytes), bytes, depth });

test("a delta gives back the content byte for byte, whatever the two are", () => {
  const dictionary = fc.constant(Uint8Array.of(0x37, 0xa4, 0x30, 0xec, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 3_000 }), dictionary);
  fc.assert(
    fc.property(bytes, bytes, fc.nat(3_000), (before, inserted, at) => {
      const after = Buffer.concat([before.subarray(0, at), inserted, before.subarray(at)]);
      const kept = deltaOver(base(before), after);
      if (kept !== undefined) {
        assert.ok(kept.kind === "delta" && kept.depth === 1);
        assert.deepEqual(Buffer.from(wholeOf(kept.bytes, before)), after);
      }
    }),
    { numRuns },
  );
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
