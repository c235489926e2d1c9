import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { type EmbeddedService, startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { contentSha256 } from "../content/content-state.ts";
import { ConflictError, ValidationError } from "../errors/planledger-error.ts";
import { type PlanledgerClient, planledgerClient } from "./planledger-client.ts";
import { type SourceFile, uploadTree } from "./upload-tree.ts";

let service: EmbeddedService;
let client: PlanledgerClient;
before(async () => {
  service = await startEmbeddedService({ port: 0 });
  client = planledgerClient({ url: service.url, token: service.token });
});
after(() => service?.stop());

const source = (path: string, bytes: Uint8Array): SourceFile => ({
  path,
  mode: "100644",
  read: async () => bytes,
});
const ended = async (planId: string) => {
  for await (const _ of client.events({ planId, follow: true }));
  return client.planStatus({ planId });
};

test("a plan document of several MiB goes up as content, runs, and is read back page by page", async () => {
  const decisions = Array.from({ length: 40 }, (_, index) => ({
    id: `d${index}`,
    rationale: "because of its size",
    toolCalls: [
      { tool: "write_file", input: { path: `f${index}`, content: randomBytes(50_000).toString("hex") } },
    ],
  }));
  const { planId, status } = await client.executePlan({ plan: { decisions } });
  assert.equal(status, "submitted");
  const { phase, counts } = await ended(planId);
  assert.deepEqual([phase, counts.landed], ["completed", 40]);
  const read: string[] = [];
  for await (const { decisionId } of client.decisions({ planId, limit: 7 })) read.push(decisionId);
  assert.deepEqual(
    read,
    decisions.map(({ id }) => id),
  );
  let entries = 0;
  for await (const page of client.changeset({ planId, limit: 9 })) entries += page.entries.length;
  assert.equal(entries, 40);
  let diffBytes = 0;
  for await (const page of client.diff({ planId })) diffBytes += page.byteLength;
  assert.ok(diffBytes > 4_000_000, `${diffBytes} bytes of diff`);
  let records = 0;
  for await (const line of client.ledger({ planId, limit: 10 })) records += line.kind === "record" ? 1 : 0;
  assert.equal(records, 42);
});

test("content of every size goes up and comes back: in packs, by its own URL, and by redirect", async () => {
  const sizes = [0, 1, 100_000, 3_000_000, 4_500_000, 16 * 1024 * 1024];
  const files = sizes.map((size) => source(`f${size}`, randomBytes(size)));
  const { tree, fileCount, sentContents } = await uploadTree({ client, files });
  assert.deepEqual([fileCount, sentContents], [6, 6]);
  const { entries } = await client.content.directory(tree);
  for (const entry of entries) {
    assert.ok(entry.kind === "file");
    const bytes = await client.content.get(entry.file.sha256);
    assert.equal(bytes.byteLength, entry.file.sizeBytes);
    assert.equal(contentSha256(bytes), entry.file.sha256);
  }
  assert.equal((await uploadTree({ client, files })).sentContents, 0);
});

test("a project is written against the revision that was read, listed, and deleted", async () => {
  const { tree } = await uploadTree({ client, files: [source("a", Buffer.from("1"))] });
  const other = await uploadTree({ client, files: [source("a", Buffer.from("2"))] });
  const first = await client.projects.put("team/app", { tree, expectedRevision: 0 });
  assert.equal(first.revision, 1);
  const next = await client.projects.put("team/app", { tree: other.tree, expectedRevision: 1 });
  assert.equal(next.revision, 2);
  await assert.rejects(client.projects.put("team/app", { tree, expectedRevision: 1 }), (error) => {
    assert.ok(error instanceof ConflictError);
    assert.equal(error.code, "revision_conflict");
    return true;
  });
  const ids: string[] = [];
  for await (const { id, deleted } of client.projects.list({ limit: 1 })) if (!deleted) ids.push(id);
  assert.deepEqual(ids, ["team/app"]);
  await client.projects.delete("team/app");
  await assert.rejects(client.projects.get("team/app"), { code: "not_found" });
});

test("a document that the service refuses is a ValidationError with the field", async () => {
  const plan = { decisions: [{ id: "a", dependsOn: ["a"] }] };
  await assert.rejects(client.executePlan({ plan }), (error) => {
    assert.ok(error instanceof ValidationError);
    assert.deepEqual([error.code, error.details.status], ["dependency_cycle", 422]);
    assert.match(error.field, /^\/decisions\/0/);
    return true;
  });
  const absent = { decisions: [], projectResources: { app: { tree: "0".repeat(64) } } };
  await assert.rejects(client.executePlan({ plan: absent }), { code: "content_missing" });
});

test("the service says its version", async () => {
  const { name, api } = await client.version();
  assert.deepEqual([name, api], ["planledger", "v1"]);
});
