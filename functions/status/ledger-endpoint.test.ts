import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { ledgerReply } from "#lib/api/plan-replies.ts";
import { keysReply } from "#lib/api/service-replies.ts";
import { ledgerExport } from "#lib/ledger/ledger-export.ts";
import type { LedgerBodyLine } from "#lib/ledger/ledger-line.ts";
import { verifyLedger } from "#lib/ledger/verify-ledger.ts";
import { inMemoryService } from "../in-memory-service.testkit.ts";

type Service = ReturnType<typeof inMemoryService>;

const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });

async function submit(service: Service, body: unknown): Promise<void> {
  const accepted = await service.send("/v1/plans/p1/execute", { body });
  assert.equal(accepted.status, 202, accepted.bytes.toString());
}

async function ledgerOf(service: Service, limit = 40): Promise<readonly LedgerBodyLine[]> {
  const lines: LedgerBodyLine[] = [];
  let cursor = "";
  do {
    const answer = await service.send(`/v1/plans/p1/ledger?limit=${limit}${cursor}`);
    assert.equal(answer.status, 200, answer.bytes.toString());
    const page = z.parse(ledgerReply, answer.json());
    assert.ok(page.lines.filter(({ kind }) => kind === "record").length <= limit);
    lines.push(...page.lines);
    cursor = page.cursor === undefined ? "" : `&cursor=${page.cursor}`;
  } while (cursor !== "");
  return lines;
}

async function verified(service: Service, lines: readonly LedgerBodyLine[]) {
  const { keys } = z.parse(keysReply, (await service.send("/v1/keys")).json());
  const [key] = keys;
  assert.ok(key !== undefined && keys.length === 1);
  const file: Uint8Array[] = [];
  for await (const text of ledgerExport(lines)) file.push(Buffer.from(text));
  const result = await verifyLedger({ ledger: file, publicKey: key.publicKeyPem });
  if (result.ok) assert.equal(result.keyId, key.keyId);
  return result;
}

test("the ledger of a plan pages through its records, the same whatever the limit, and verifies under the service's key", async () => {
  const service = inMemoryService();
  const decisions = Array.from({ length: 100 }, (_, index) => ({
    id: `d${index}`,
    toolCalls: [write(`${index}.txt`, `content ${index}\n`)],
  }));
  await submit(service, { decisions });
  await service.drain();
  const lines = await ledgerOf(service);
  assert.deepEqual(await ledgerOf(service, 1), lines);
  const result = await verified(service, lines);
  assert.ok(result.ok, JSON.stringify(result));
  assert.equal(result.records, 102);
  assert.equal(result.head.phase, "completed");
  const status = z.object({ digest: z.string() }).parse((await service.send("/v1/plans/p1")).json());
  assert.equal(result.head.digest, status.digest);
});

test("a ledger goes on over failures, a cancel and further runs, each end under its own signature", async () => {
  const service = inMemoryService();
  await submit(service, {
    decisions: [
      { id: "lands", toolCalls: [write("a.txt", "a")] },
      { id: "fails", toolCalls: [{ tool: "read_text_file", input: { path: "nowhere" } }] },
      { id: "waits", dependsOn: ["fails"], toolCalls: [write("b.txt", "b")] },
    ],
  });
  await service.drain();
  const first = await verified(service, await ledgerOf(service));
  assert.ok(first.ok && first.head.phase === "failed" && first.head.run === 1, JSON.stringify(first));

  const resumed = await service.send("/v1/plans/p1/resume", { body: {} });
  assert.equal(resumed.status, 202, resumed.bytes.toString());
  const between = await verified(service, await ledgerOf(service));
  assert.ok(between.ok && between.head.phase === "running", JSON.stringify(between));
  assert.equal(between.records, first.records + 1);
  assert.equal((await service.send("/v1/plans/p1/cancel", { body: { reason: "enough" } })).status, 202);
  const second = await verified(service, await ledgerOf(service));
  assert.ok(second.ok && second.head.phase === "cancelled" && second.head.run === 2, JSON.stringify(second));
  assert.equal(second.head.digest, first.head.digest, "nothing more landed");

  await service.send("/v1/plans/p1/resume", { body: { toolCalls: { fails: [write("c.txt", "c")] } } });
  await service.drain();
  const lines = await ledgerOf(service, 2);
  const third = await verified(service, lines);
  assert.ok(third.ok && third.head.phase === "completed" && third.head.run === 3, JSON.stringify(third));
  assert.equal(lines.filter(({ kind }) => kind === "seal").length, 3);
});

test("the ledger of a plan that has not begun is its header", async () => {
  const service = inMemoryService();
  await submit(service, { decisions: [{ id: "d1", toolCalls: [] }] });
  assert.deepEqual(
    (await ledgerOf(service)).map(({ kind }) => kind),
    ["header"],
  );
});

test("the keys are told without a token", async () => {
  const service = inMemoryService();
  const { readKeys } = await import("#lib/api/service-routes.ts");
  assert.equal(readKeys.scope, "none");
  const { keys } = z.parse(keysReply, (await service.send("/v1/keys")).json());
  assert.match(keys[0]?.publicKeyPem ?? "", /^-----BEGIN PUBLIC KEY-----/);
});
