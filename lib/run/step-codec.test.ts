import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { itemStepStore } from "./item-step-store.ts";
import { memoryStepItemStore } from "./memory-step-item-store.ts";
import type { Step } from "./step.ts";
import { decodeStep, encodeStep } from "./step-codec.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 200);
const hash = fc.constantFrom("a".repeat(64), "b".repeat(64), "c".repeat(64));
const bytes = fc.uint8Array({ maxLength: 200 });
const anyText = fc.string({ unit: "binary", maxLength: 20 });
const state = fc.option(
  fc.record({
    sha256: hash,
    sizeBytes: fc.nat(),
    mode: fc.constantFrom("100644", "100755", "120000"),
    gitBlobId: fc.constant("d".repeat(40)),
  }),
);
const failure = fc.record(
  {
    code: fc.constantFrom("tool_failed", "external_outcome_unknown"),
    message: fc.oneof(anyText, fc.constant("lone \ud800 surrogate and \0 NUL")),
    details: fc.dictionary(fc.constantFrom("path", "count"), fc.oneof(anyText, fc.nat())),
  },
  { requiredKeys: ["code", "message"] },
);
const kept = fc.oneof(
  fc.record({ kind: fc.constant("whole"), bytes }),
  fc.record(
    { kind: fc.constant("delta"), base: hash, inputsOf: fc.nat(), depth: fc.nat(), bytes },
    { requiredKeys: ["kind", "depth", "bytes"] },
  ),
);
const decision = fc.record({
  ordinal: fc.nat(),
  decisionId: fc.constantFrom("d1", "d2"),
  outcome: fc.oneof(
    fc.constant({ status: "landed" }),
    fc.record({ status: fc.constant("failed"), failure, callOrdinal: fc.nat() }),
    fc.record({ status: fc.constant("skipped"), because: fc.array(fc.constant("d0"), { maxLength: 2 }) }),
  ),
  calls: fc.array(
    fc.record({
      callOrdinal: fc.nat(),
      tool: fc.constant("write_file"),
      inputSha256: hash,
      status: fc.constantFrom("succeeded", "failed"),
      output: fc.record({ bytes, sizeBytes: fc.nat(), truncated: fc.boolean(), sha256: hash }),
      durationMs: fc.nat(),
    }),
    { maxLength: 3 },
  ),
  entries: fc.array(
    fc.record({
      decisionId: fc.constant("d1"),
      callOrdinal: fc.nat(),
      resource: fc.constant("app"),
      path: anyText,
      kind: fc.constantFrom("create", "modify", "delete", "mode", "type"),
      before: state,
      after: state,
    }),
    { maxLength: 3 },
  ),
  reads: fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant("node"),
        resource: fc.constant("app"),
        path: anyText,
        found: fc.option(
          fc.record(
            {
              type: fc.constantFrom("file", "symlink", "directory"),
              sha256: hash,
              mode: fc.constant("100644"),
            },
            { requiredKeys: ["type"] },
          ),
        ),
      }),
      fc.record({
        kind: fc.constantFrom("names", "subtree"),
        resource: fc.constant("app"),
        path: anyText,
        sha256: hash,
      }),
    ),
    { maxLength: 3 },
  ),
  startedAtEpochMs: fc.nat(),
  durationMs: fc.nat(),
});
const event = fc.record(
  {
    seq: fc.nat(),
    type: fc.constantFrom("runtime_execute_step", "runtime_execute_paused"),
    run: fc.nat(),
    atEpochMs: fc.nat(),
    by: anyText,
    decisionId: fc.constant("d1"),
    ordinal: fc.nat(),
    reason: anyText,
    recordSha256: hash,
    digest: hash,
    ledgerHead: hash,
  },
  { requiredKeys: ["seq", "type", "run", "atEpochMs", "by", "ledgerHead"] },
);
const plain = <T>(value: T): T => structuredClone(value);
const step = fc
  .record({
    v: fc.constant(1),
    run: fc.nat(),
    from: fc.nat(),
    epoch: fc.nat(),
    decisions: fc.array(decision, { maxLength: 4 }),
    events: fc.array(event, { maxLength: 4 }),
    contents: fc.array(fc.tuple(hash, kept)).map((entries) => new Map(entries)),
    contentAt: fc
      .array(fc.tuple(hash, fc.record({ run: fc.nat(), from: fc.nat(), epoch: fc.nat() })))
      .map((entries) => new Map(entries)),
    counts: fc.record({
      landed: fc.nat(),
      failed: fc.nat(),
      skipped: fc.nat(),
      toolCalls: fc.nat(),
      entries: fc.nat(),
    }),
    chainHead: hash,
    ledgerHead: hash,
    writtenBy: anyText,
  })
  .map((made) => plain(made) as unknown as Step);

test("a step of any bytes and any text reads back as it was written (F18)", () => {
  fc.assert(
    fc.property(step, (written) => {
      assert.deepEqual(plain(decodeStep(encodeStep(written))), plain(written));
    }),
    { numRuns },
  );
});

test("bytes of another format, and damaged ones, are refused by name and not guessed at", () => {
  const [sample] = fc.sample(step, 1);
  assert.ok(sample !== undefined);
  const bytesOfStep = encodeStep(sample);
  assert.throws(() => decodeStep(Uint8Array.of(9, ...bytesOfStep.subarray(1))), {
    code: "internal",
    message: /format 9/,
  });
  const broken = encodeStep({ ...sample, chainHead: 7 as unknown as string });
  assert.throws(() => decodeStep(broken), { code: "internal", message: /damaged at chainHead/ });
});

test("a step of the format before reads back: hashes in its JSON, deltas among its binary parts", () => {
  const [sample] = fc.sample(step, 1);
  assert.ok(sample !== undefined);
  const [whole, delta, output] = ["whole", "delta", "output"].map((part) => Buffer.from(part));
  const at = (number: number) => [...new Array(64)].map(() => number).join("");
  const { contents: _, ...rest } = sample;
  const call = { callOrdinal: 0, tool: "t", inputSha256: at(3), status: "succeeded", durationMs: 1 };
  const kept = { sizeBytes: 6, truncated: false, sha256: at(4) };
  const record = {
    ordinal: 0,
    decisionId: "d0",
    outcome: { status: "landed" },
    entries: [],
    reads: [],
    startedAtEpochMs: 1,
    durationMs: 1,
  };
  const json = JSON.stringify({
    ...rest,
    contentAt: [],
    decisions: [{ ...record, calls: [{ ...call, output: { ...kept, bytes: 0 } }] }],
    contents: [
      [at(1), 1],
      [at(2), 2, { base: at(1), depth: 1 }],
    ],
    blobLengths: [6, 5, 5],
  });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(json));
  const body = Buffer.concat([length, Buffer.from(json), output, whole, delta].map((one) => one ?? length));
  const read = decodeStep(Buffer.concat([Uint8Array.of(1), zstdCompressSync(body)]));
  assert.deepEqual(
    plain(read.contents),
    plain(
      new Map<string, unknown>([
        [at(1), { kind: "whole", bytes: new Uint8Array(whole ?? []) }],
        [at(2), { kind: "delta", base: at(1), depth: 1, bytes: new Uint8Array(delta ?? []) }],
      ]),
    ),
  );
  assert.equal(Buffer.from(read.decisions[0]?.calls[0]?.output.bytes ?? []).toString(), "output");
  assert.equal(read.decisions[0]?.calls[0]?.inputSha256, at(3));
});

test("a step too large for an item goes to the content store, and reads back all the same (F6)", async () => {
  const content = memoryContentStore();
  const items = memoryStepItemStore();
  const steps = itemStepStore({ items, contentOf: () => content });
  const [sample] = fc.sample(step, 1);
  assert.ok(sample !== undefined);
  const noise = new Uint8Array(randomBytes(500_000));
  const large: Step = {
    ...sample,
    run: 1,
    from: 0,
    epoch: 0,
    contents: new Map([["a".repeat(64), { kind: "whole", bytes: noise }]]),
  };
  const plan = { tenant: "acme", planId: "p" };
  const { storedBytes } = await steps.putIfAbsent(plan, large);
  assert.ok(storedBytes < 100);
  const found = await steps.get({ ...plan, run: 1, from: 0, epoch: 0 });
  assert.deepEqual(plain(found), plain(large));
});
