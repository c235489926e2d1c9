import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { traceReply } from "#lib/api/apply-replies.ts";
import { directoryFrom } from "#lib/api/directory-wire.ts";
import { changesetReply, decisionsReply } from "#lib/api/plan-replies.ts";
import { contentState } from "#lib/content/content-state.ts";
import { directoryRef } from "#lib/tree/directory-ref.ts";
import { inMemoryService } from "../in-memory-service.testkit.ts";

const fileCount = 8000;
const bytes = Buffer.from("same\n");
const { sha256, sizeBytes, gitBlobId: gitId } = contentState(bytes, "100644");

/** One call that deletes thousands of files, below a chain of long reasons. */
const wideRun = async () => {
  const service = inMemoryService();
  const files = Array.from({ length: fileCount }, (_, index) => ({
    kind: "file" as const,
    name: `${"n".repeat(240)}${String(index).padStart(5, "0")}`,
    mode: "100644" as const,
    sha256,
    sizeBytes,
    gitId,
  }));
  const below = directoryFrom({ entries: files });
  const { sha256: address, gitTreeId } = directoryRef(below);
  const root = directoryFrom({
    entries: [{ kind: "directory", name: "src", sha256: address, gitId: gitTreeId }],
  });
  const { content, trees } = service.ports.storesOf("acme");
  await trees.put([below, root]);
  const above = Array.from({ length: 150 }, (_, index) => ({
    id: `p${index}`,
    ...(index === 0 ? {} : { parentId: `p${index - 1}` }),
    rationale: "r".repeat(60_000),
  }));
  const toolCalls = [{ tool: "delete_file", input: { path: "src", recursive: true } }];
  const document = {
    projectResources: { app: { tree: directoryRef(root).sha256 } },
    decisions: [...above, { id: "wide", parentId: "p149", toolCalls }],
  };
  const [, contentSha256] = await content.put([bytes, Buffer.from(JSON.stringify(document))]);
  const accepted = await service.send("/v1/plans/p1/execute", { body: { contentSha256 } });
  assert.equal(accepted.status, 202, accepted.bytes.toString());
  await service.drain();
  return service;
};

const service = await wideRun();
const read = async <T>(target: string, schema: z.ZodMiniType<T>): Promise<T> => {
  const answer = await service.send(target);
  assert.equal(answer.status, 200, answer.bytes.subarray(0, 500).toString());
  return z.parse(schema, answer.json());
};

test("of a decision with more entries than a reply holds, it is said how many are only in the changeset", async () => {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(
      `/v1/plans/p1/decisions?limit=100${cursor === undefined ? "" : `&cursor=${cursor}`}`,
      decisionsReply,
    );
    for (const { decisionId, entries, entriesLeftOut } of page.decisions) {
      ids.push(decisionId);
      if (decisionId !== "wide") continue;
      assert.ok(entries.length > 0 && entries.length < fileCount);
      assert.equal(entries.length + (entriesLeftOut ?? 0), fileCount);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  assert.equal(ids.length, 151);
  const { entries } = await read("/v1/plans/p1/changeset?limit=1000", changesetReply);
  assert.equal(entries.length, 1000);
});

test("a decision's changes are traced page by page, each once, with what fits of the reasons", async () => {
  const paths: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 3; page += 1) {
    const target = `/v1/plans/p1/trace?decision=wide&limit=200${cursor === undefined ? "" : `&cursor=${cursor}`}`;
    const { traces, ...rest } = await read(target, traceReply);
    paths.push(...traces.map(({ entry }) => entry.path));
    const [first] = traces;
    assert.equal(first?.why[0]?.decisionId, "wide");
    assert.equal(first?.why.length + (first?.whyLeftOut ?? 0), 151);
    cursor = rest.cursor;
    assert.ok(cursor !== undefined);
  }
  assert.ok(paths.length >= 3);
  assert.equal(new Set(paths).size, paths.length);
  const [path = ""] = paths.slice(-1);
  const byPath = await read(`/v1/plans/p1/trace?path=${encodeURIComponent(path)}`, traceReply);
  assert.deepEqual(
    byPath.traces.map(({ entry }) => entry.path),
    [path],
  );
});

test("the diff of a decision of thousands of files goes over pages of some hundred", async () => {
  const answer = await service.send("/v1/plans/p1/diff?decision=wide");
  assert.equal(answer.status, 200);
  assert.match(answer.headers.link ?? "", /rel="next"/);
  assert.equal(answer.bytes.toString().match(/^diff --git/gm)?.length, 500);
});
