import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { sha256Hex } from "../canonical/sha256.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { ed25519Signer } from "../run/ed25519-signer.ts";
import { sealStatementBytes } from "../run/seal-statement.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import type { LedgerBodyLine } from "./ledger-line.ts";
import { headerLine, sealLine } from "./ledger-lines-of.ts";
import { type LedgerSpec, ledgerLines, ledgerSpec, ledgerText } from "./random-ledger.testkit.ts";
import { type LedgerVerification, verifyLedger } from "./verify-ledger.ts";

const newSigner = () =>
  ed25519Signer(
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  );
const signer = newSigner();
const publicKey = await signer.publicKey();

const verify = (ledger: string | Uint8Array, expectedHead?: string): Promise<LedgerVerification> =>
  verifyLedger({
    ledger: [Buffer.from(ledger)],
    publicKey,
    ...(expectedHead === undefined ? {} : { expectedHead }),
  });

const rejected = (result: LedgerVerification) => {
  assert.ok(!result.ok, "a damaged ledger must not verify");
  assert.ok(result.message.length > 0);
  return { code: result.code, line: result.position.line, seq: result.position.seq };
};

const textOf = async (spec: LedgerSpec): Promise<string> => ledgerText(await ledgerLines(spec, signer));

/** The lines of a ledger with their newlines. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

/** One run of one decision. */
const smallest: LedgerSpec = {
  planId: "p",
  resource: "app",
  runs: [
    {
      decisions: [{ outcome: "landed", paths: ["a"], output: Uint8Array.of(1), pauseBefore: false }],
      perStep: 1,
      pauseFirst: false,
      cancelAt: undefined,
      approvals: 0,
    },
  ],
};

const small: LedgerSpec = {
  planId: "p",
  resource: "app",
  runs: [
    {
      decisions: [{ outcome: "failed", paths: [], output: Uint8Array.of(1), pauseBefore: false }],
      perStep: 1,
      pauseFirst: false,
      cancelAt: undefined,
      approvals: 1,
    },
    {
      decisions: [{ outcome: "landed", paths: ["a"], output: new Uint8Array(), pauseBefore: true }],
      perStep: 1,
      pauseFirst: true,
      cancelAt: undefined,
      approvals: 0,
    },
  ],
};

const check = (property: fc.IAsyncProperty<unknown>) => fc.assert(property, { numRuns: propertyRuns(50) });

test("a ledger as it was exported verifies, and the head it reached is reported, however its bytes are split", async () => {
  await check(
    fc.asyncProperty(ledgerSpec, fc.integer({ min: 1, max: 97 }), async (spec, pieceBytes) => {
      const lines = await ledgerLines(spec, signer);
      const bytes = Buffer.from(await ledgerText(lines));
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
      const result = await verifyLedger({ ledger: pieces, publicKey });
      assert.ok(result.ok, JSON.stringify(result));
      const records = lines.filter((line) => line.kind === "record");
      const seal = lines.findLast((line) => line.kind === "seal");
      assert.equal(result.records, records.length);
      assert.equal(result.head.seq, records.length);
      assert.equal(result.head.ledgerHead, records.at(-1)?.event.ledgerHead);
      assert.equal(result.head.digest, seal?.digest);
      assert.equal(result.planId, spec.planId);
    }),
  );
});

/** All eight bits of every byte when many cases are asked for, else one of each. */
const bitsAt = (at: number): readonly number[] =>
  propertyRuns(300) >= 1000 ? [0, 1, 2, 3, 4, 5, 6, 7] : [(at * 3 + (at >> 3)) % 8];

test("every byte of a ledger counts: whichever bit is changed, verify names its line", async () => {
  const bytes = Buffer.from(await textOf(smallest));
  assert.ok((await verify(bytes)).ok);
  let line = 1;
  const lastLine = linesOf(bytes.toString()).length;
  for (const [at, byte] of bytes.entries()) {
    for (const bit of bitsAt(at)) {
      bytes[at] = byte ^ (1 << bit);
      const found = rejected(await verify(bytes));
      assert.equal(
        found.line,
        line,
        `byte ${at} ${JSON.stringify(String.fromCharCode(byte))}, bit ${bit}: ${found.code}`,
      );
      if (line < lastLine) assert.equal(found.code, "altered", `byte ${at}, bit ${bit}`);
    }
    bytes[at] = byte;
    if (byte === 0x0a) line += 1;
  }
});

test("any bit changed in any ledger is found in its line", async () => {
  const flips = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 7 })), { minLength: 10, maxLength: 10 });
  await check(
    fc.asyncProperty(ledgerSpec, flips, async (spec, chosen) => {
      const bytes = Buffer.from(await textOf(spec));
      for (const [seed, bit] of chosen) {
        const at = seed % bytes.length;
        const line = bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        assert.equal(rejected(await verify(bytes)).line, line);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      }
    }),
  );
});

test("any line taken out is missed where it stood", async () => {
  await check(
    fc.asyncProperty(ledgerSpec, async (spec) => {
      const lines = linesOf(await textOf(spec));
      for (const index of lines.keys()) {
        const found = rejected(await verify(lines.toSpliced(index, 1).join("")));
        assert.equal(found.code, index === lines.length - 1 ? "cut_off" : "dropped");
        assert.equal(found.line, index + 1);
      }
    }),
  );
});

test("any two lines swapped are found at the first of them", async () => {
  const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 10, maxLength: 10 });
  await check(
    fc.asyncProperty(ledgerSpec, picks, async (spec, chosen) => {
      const lines = linesOf(await textOf(spec));
      for (const [a, b] of chosen) {
        const first = Math.min(a % lines.length, b % lines.length);
        const second = Math.max(a % lines.length, b % lines.length);
        const earlier = lines[first];
        const later = lines[second];
        if (first === second || earlier === undefined || later === undefined) continue;
        const found = rejected(await verify(lines.with(first, later).with(second, earlier).join("")));
        assert.equal(found.code, "reordered");
        assert.equal(found.line, first + 1);
      }
    }),
  );
});

test("any line that stands twice is found, wherever the copy stands", async () => {
  const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 10, maxLength: 10 });
  await check(
    fc.asyncProperty(ledgerSpec, picks, async (spec, chosen) => {
      const lines = linesOf(await textOf(spec));
      for (const [a, b] of chosen) {
        const copied = a % lines.length;
        const at = b % (lines.length + 1);
        const found = rejected(await verify(lines.toSpliced(at, 0, lines[copied] ?? "").join("")));
        assert.equal(found.code, "added");
        assert.equal(found.line, at === copied ? at + 2 : at + 1);
      }
    }),
  );
});

test("a ledger whose end is cut off is found wherever the cut is", async () => {
  await check(
    fc.asyncProperty(ledgerSpec, fc.array(fc.nat(), { minLength: 10, maxLength: 10 }), async (spec, cuts) => {
      const bytes = Buffer.from(await textOf(spec));
      const newlines = [...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
      for (const cut of [0, ...newlines.slice(0, -1), ...cuts.map((seed) => seed % bytes.length)]) {
        const kept = bytes.subarray(0, cut);
        const found = rejected(await verify(kept));
        assert.equal(found.code, "cut_off");
        assert.equal(found.line, kept.filter((byte) => byte === 0x0a).length + 1);
      }
    }),
  );
});

test("a ledger made anew with another key is refused at its first signed head", async () => {
  const other = newSigner();
  await check(
    fc.asyncProperty(ledgerSpec, async (spec) => {
      const lines = await ledgerLines(spec, other);
      const found = rejected(await verify(await ledgerText(lines)));
      assert.equal(found.code, "wrong_key");
      assert.equal(found.line, lines.findIndex(({ kind }) => kind === "seal") + 1);
    }),
  );
});

test("records rewritten and chained anew break at the signed head that covers them, whatever is done to that head", async () => {
  await check(
    fc.asyncProperty(ledgerSpec, async (spec) => {
      const genuine = await ledgerLines(spec, signer);
      const forged = await ledgerLines({ ...spec, resource: `${spec.resource}2` }, newSigner());
      const sealAt = genuine.findIndex(({ kind }) => kind === "seal");
      const seal = genuine[sealAt];
      const otherSeal = forged[sealAt];
      assert.ok(seal?.kind === "seal" && otherSeal?.kind === "seal");
      const records = forged.slice(0, sealAt);
      for (const head of [seal, { ...otherSeal, signature: seal.signature }]) {
        const found = rejected(await verify(await ledgerText([...records, head])));
        assert.deepEqual(found, { code: "altered", line: sealAt + 1, seq: seal.seq });
      }
    }),
  );
});

test("an older export verifies up to its own head, and not as the head that was expected", async () => {
  const lines = await ledgerLines(small, signer);
  const whole = await verify(await ledgerText(lines));
  assert.ok(whole.ok);
  const firstSeal = lines.findIndex(({ kind }) => kind === "seal");
  const older = await ledgerText(lines.slice(0, firstSeal + 1));
  const result = await verify(older);
  assert.ok(result.ok);
  assert.equal(result.head.phase, "failed");
  assert.equal(whole.head.phase, "completed");
  assert.deepEqual([result.head.run, whole.head.run], [1, 2]);
  assert.ok((await verify(older, result.head.ledgerHead)).ok);
  assert.ok((await verify(await ledgerText(lines), whole.head.ledgerHead)).ok);
  assert.equal(rejected(await verify(older, whole.head.ledgerHead)).code, "wrong_head");
  const beyond = await verify(await ledgerText(lines), result.head.ledgerHead);
  assert.ok(!beyond.ok && beyond.code === "wrong_head");
  assert.match(beyond.message, /is that of record 3, and the ledger goes on/);
});

test("records that no signed head covers are told apart from a file that was cut", async () => {
  const lines = await ledgerLines(small, signer);
  const firstSeal = lines.findIndex(({ kind }) => kind === "seal");
  const running = await ledgerText(lines.slice(0, firstSeal - 1));
  assert.deepEqual(rejected(await verify(running)), { code: "unsigned", line: firstSeal, seq: 1 });
  const restarted = lines.findIndex((line) => line.kind === "record" && line.event.run === 2);
  const found = rejected(await verify(await ledgerText(lines.slice(0, restarted + 1))));
  assert.deepEqual([found.code, found.seq], ["unsigned", 6]);
  const [header] = lines;
  assert.ok(header !== undefined);
  assert.equal(rejected(await verify(await ledgerText([header]))).code, "unsigned");
});

test("base trees, or a digest, that the changes do not come to are found, even under the service's own signature", async () => {
  const lines = await ledgerLines(small, signer);
  const [header] = lines;
  assert.ok(header?.kind === "header");
  const moved = headerLine({ ...header, baseTrees: { app: sha256Hex("another base") } });
  const found = rejected(await verify(await ledgerText([moved, ...lines.slice(1)])));
  assert.deepEqual(found, { code: "digest_mismatch", line: 2, seq: 1 });

  const resealed: LedgerBodyLine[] = [];
  for (const line of lines) {
    if (line.kind !== "seal") resealed.push(line);
    else {
      const statement = { ...line, planId: small.planId, digest: sha256Hex("another digest") };
      resealed.push(sealLine(statement, await signer.sign(sealStatementBytes(statement))));
    }
  }
  const digest = rejected(await verify(await ledgerText(resealed)));
  assert.deepEqual(digest, { code: "digest_mismatch", line: 5, seq: 3 });
});

test("a line that means the same in another spelling is refused", async () => {
  const lines = linesOf(await textOf(small));
  const respelt = [
    (line: string) => line.replace(":", ": "),
    (line: string) => line.replace("\n", "\r\n"),
    (line: string) => line.replace('"kind"', '"\\u006bind"'),
    (line: string) => line.replace("{", '{"kind":"header",'),
    (line: string) => `\ufeff${line}`,
    (line: string) => `\n${line}`,
    (line: string) => line.replace("{", '{"__proto__":{},'),
  ];
  for (const [index, line] of lines.entries()) {
    for (const respell of respelt) {
      const found = rejected(await verify(lines.with(index, respell(line)).join("")));
      assert.deepEqual([found.code, found.line], ["altered", index + 1], respell(line));
    }
  }
});

test("a signature in another spelling of its base64 is refused, though it means the same bytes", async () => {
  const text = await textOf(smallest);
  const twin = { A: "B", Q: "R", g: "h", w: "x" } as const;
  const respelled = text.replace(/([AQgw])==/, (_, last: keyof typeof twin) => `${twin[last]}==`);
  assert.notEqual(respelled, text);
  const before = text.slice(0, text.indexOf("=="));
  const { line } = rejected(await verify(respelled));
  assert.equal(line, before.split("\n").length);
});

test("a field of an event that this version does not know is covered like any other", async () => {
  const text = await textOf(small);
  assert.match(text, /"approvedDigest"/);
  const without = text.replace(/"approvedDigest":"[0-9a-f]{64}",/, "");
  assert.notEqual(without, text);
  assert.equal(rejected(await verify(without)).code, "altered");
});

test("a key that is no Ed25519 public key, and a head that is none, are refused by name", async () => {
  const text = await textOf(small);
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  const keys = [
    "no key",
    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    rsa.export({ type: "spki", format: "pem" }).toString(),
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  ];
  for (const key of keys) {
    await assert.rejects(
      verifyLedger({ ledger: [Buffer.from(text)], publicKey: key }),
      (error) => error instanceof ValidationError && error.field === "publicKey",
    );
  }
  await assert.rejects(
    verify(text, "abc"),
    (error) => error instanceof ValidationError && error.field === "expectedHead",
  );
});
