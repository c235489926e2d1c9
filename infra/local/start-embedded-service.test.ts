import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as z from "zod/mini";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { clientOf, planWriting } from "./embedded-service.testkit.ts";
import { startEmbeddedService } from "./start-embedded-service.ts";

const directory = mkdtempSync(join(tmpdir(), "embedded-"));
after(() => rmSync(directory, { recursive: true, force: true }));

test("what was accepted survives a stop: the next start rebuilds the queue and finishes the plan", async () => {
  const dataDir = join(directory, "survives");
  const blocked = await startEmbeddedService({
    port: 0,
    dataDir,
    wrapHandler: (name, handler) =>
      name === "executeWorker" ? async () => Promise.reject(new Error("no worker today")) : handler,
  });
  const first = clientOf(() => blocked);
  const accepted = await first.sendJson("/v1/plans/p1/execute", planWriting("a.txt", "a"));
  assert.equal(accepted.status, 202, accepted.text);
  await blocked.stop();

  const restarted = await startEmbeddedService({ port: 0, dataDir });
  try {
    assert.equal(restarted.token, blocked.token);
    assert.equal((await clientOf(() => restarted).ended("p1")).phase, "completed");
  } finally {
    await restarted.stop();
  }
});

test("token and signing key are readable by their owner only", async () => {
  const dataDir = join(directory, "private");
  const service = await startEmbeddedService({ port: 0, dataDir });
  await service.stop();
  for (const file of ["token", "signing-key.pem"]) {
    assert.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600, file);
  }
});

test("a first token that was revoked is replaced at the next start", async () => {
  const dataDir = join(directory, "revoked");
  const service = await startEmbeddedService({ port: 0, dataDir });
  const id = service.token.split("_")[1];
  assert.equal((await clientOf(() => service).send(`/v1/tokens/${id}`, { method: "DELETE" })).status, 204);
  await service.stop();
  const restarted = await startEmbeddedService({ port: 0, dataDir });
  try {
    assert.notEqual(restarted.token, service.token);
    assert.equal((await clientOf(() => restarted).send("/v1/plans")).status, 200);
  } finally {
    await restarted.stop();
  }
});

test("a first token that lacks a scope, being of an earlier version, is replaced at the next start", async () => {
  const dataDir = join(directory, "earlier");
  const service = await startEmbeddedService({ port: 0, dataDir });
  const made = await clientOf(() => service).sendJson("/v1/tokens", {
    scopes: ["plans:read", "tokens:write"],
  });
  const { token: earlier } = z.parse(z.object({ token: z.string() }), made.json());
  await service.stop();
  writeFileSync(join(dataDir, "token"), `${earlier}\n`, { mode: 0o600 });
  const restarted = await startEmbeddedService({ port: 0, dataDir });
  try {
    assert.notEqual(restarted.token, earlier);
    assert.equal((await clientOf(() => restarted).send("/v1/webhooks")).status, 200);
  } finally {
    await restarted.stop();
  }
});

test("a port that is in use is a named error, and nothing is left running", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const address = taken.address();
  assert.ok(typeof address === "object" && address !== null);
  const dataDir = join(directory, "port");
  await assert.rejects(
    startEmbeddedService({ port: address.port, dataDir }),
    (error) => error instanceof PlanledgerError && /--port/.test(error.message),
  );
  await new Promise((resolve) => taken.close(resolve));
  // The directory's lock is free again.
  const service = await startEmbeddedService({ port: 0, dataDir });
  await service.stop();
});

test("F2: a topology that would lose messages is refused before anything starts", async () => {
  const { topology } = await import("../topology.ts");
  const { decisions } = topology.queues;
  assert.ok(decisions);
  const hasty = {
    ...topology,
    queues: { ...topology.queues, decisions: { ...decisions, visibilityTimeoutSeconds: 60 } },
  };
  await assert.rejects(startEmbeddedService({ port: 0, topology: hasty }), /visibilityTimeoutSeconds/);
});

test("a stop in the middle of a long plan ends soon, and the next start goes on where it stood", async () => {
  const dataDir = join(directory, "middle");
  const decisions = Array.from({ length: 3000 }, (_, index) => ({
    id: `d${index}`,
    toolCalls: [{ tool: "write_file", input: { path: `f${index % 50}`, content: `${index}` } }],
  }));
  const first = await startEmbeddedService({ port: 0, dataDir });
  const client = clientOf(() => first);
  const accepted = await client.sendJson("/v1/plans/long/execute", { decisions });
  assert.equal(accepted.status, 202, accepted.text);
  while (/"pending":3000/.test((await client.send("/v1/plans/long")).text));
  const startedAtMs = performance.now();
  await first.stop();
  assert.ok(performance.now() - startedAtMs < 20_000, "a worker's whole time was not waited for");

  const second = await startEmbeddedService({ port: 0, dataDir });
  try {
    const { phase, counts } = await clientOf(() => second).ended("long");
    assert.deepEqual([phase, counts.landed], ["completed", 3000]);
  } finally {
    await second.stop();
  }
});
