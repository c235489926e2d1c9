import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { packReply } from "#lib/api/content-requests.ts";
import {
  changesetReply,
  decisionsReply,
  eventsReply,
  planListReply,
  planStatusReply,
} from "#lib/api/plan-replies.ts";
import { contentSha256, contentState } from "#lib/content/content-state.ts";
import { inMemoryService } from "../in-memory-service.testkit.ts";

const writing = (id: string, content: string, dependsOn: readonly string[] = []) => ({
  id,
  dependsOn,
  toolCalls: [{ tool: "write_file", input: { path: `${id}.txt`, content } }],
});

/** Submitted by reference, so that no plan is too large for a body. */
const ran = async (decisions: readonly object[], service = inMemoryService(), more: object = {}) => {
  const document = Buffer.from(JSON.stringify({ decisions, ...more }));
  const [contentSha256] = await service.ports.storesOf("acme").content.put([document]);
  const accepted = await service.send("/v1/plans/p1/execute", { body: { contentSha256 } });
  assert.equal(accepted.status, 202, accepted.bytes.toString());
  await service.drain();
  return service;
};

const hundred = Array.from({ length: 100 }, (_, index) => writing(`d${index}`, `content ${index}\n`));

/** All pages of a listing that passes a cursor in its body. */
async function* pagesOf<Page extends { readonly cursor?: string | undefined }>(
  service: Awaited<ReturnType<typeof ran>>,
  path: string,
  schema: z.ZodMiniType<Page>,
) {
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? "" : `&cursor=${cursor}`;
    const answer = await service.send(`${path}${query}`);
    assert.equal(answer.status, 200, answer.bytes.toString());
    const page = z.parse(schema, answer.json());
    yield page;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

test("decisions page through a plan in plan order, each once, whatever the limit", async () => {
  const service = await ran(hundred);
  for (const limit of [1, 7, 100]) {
    const ids: string[] = [];
    for await (const page of pagesOf(service, `/v1/plans/p1/decisions?limit=${limit}`, decisionsReply)) {
      assert.ok(page.decisions.length <= limit);
      ids.push(...page.decisions.map(({ decisionId }) => decisionId));
    }
    assert.deepEqual(
      ids,
      hundred.map(({ id }) => id),
    );
  }
});

test("events page without gaps, and the cursor of the last page waits for what comes later", async () => {
  const service = await ran(hundred);
  const seqs: number[] = [];
  let cursor = "";
  for (;;) {
    const query = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = z.parse(eventsReply, (await service.send(`/v1/plans/p1/events?limit=9${query}`)).json());
    seqs.push(...page.events.map(({ seq }) => seq));
    cursor = page.cursor;
    if (page.events.length === 0) {
      assert.equal(page.ended, true);
      break;
    }
  }
  assert.deepEqual(
    seqs,
    Array.from({ length: 102 }, (_, index) => index + 1),
  );
});

test("the changeset pages through all entries in order and tells git's tree ids once, on its first page", async () => {
  const service = await ran(hundred);
  const paths: string[] = [];
  let treeIds = 0;
  for await (const page of pagesOf(service, "/v1/plans/p1/changeset?limit=30", changesetReply)) {
    paths.push(...page.entries.map(({ path }) => path));
    if (page.resultGitTreeIds !== undefined) treeIds += 1;
    assert.equal(page.state, "sealed");
  }
  assert.deepEqual(
    paths,
    hundred.map(({ id }) => `${id}.txt`),
  );
  assert.equal(treeIds, 1);
});

/** All pages of a diff, by the links from one to the next. */
const diffPagesOf = async (service: Awaited<ReturnType<typeof ran>>): Promise<Buffer[]> => {
  const pages: Buffer[] = [];
  let target: string | undefined = "/v1/plans/p1/diff";
  while (target !== undefined) {
    const answer = await service.send(target);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "text/x-diff");
    pages.push(answer.bytes);
    target = /^<([^>]+)>; rel="next"$/.exec(answer.headers.link ?? "")?.[1];
  }
  return pages;
};

test("a diff above a page ends its pages behind files, with links to the next; together they are the whole", async () => {
  const line = `${"x".repeat(99)}\n`;
  const service = await ran(
    Array.from({ length: 30 }, (_, index) => writing(`d${index}`, line.repeat(2000))),
  );
  const pages = await diffPagesOf(service);
  assert.ok(pages.length > 2, `${pages.length} pages`);
  for (const page of pages) {
    assert.match(page.subarray(0, 20).toString(), /^diff --git/);
    assert.ok(page.byteLength <= 2 * 1024 * 1024);
  }
  assert.equal(Buffer.concat(pages).toString().match(/^\+x/gm)?.length, 60_000);
});

test("the diff of one file alone above a page goes over several, without a byte lost", async () => {
  const service = inMemoryService();
  const bytes = Buffer.from(`${"y".repeat(99)}\n`.repeat(25_000));
  const { sha256, sizeBytes, gitBlobId: gitId } = contentState(bytes, "100644");
  const entry = { kind: "file", name: "big", mode: "100644", sha256, sizeBytes, gitId };
  const body = { contents: [bytes.toString("base64")], directories: [{ entries: [entry] }] };
  const packed = z.parse(packReply, (await service.send("/v1/content/packs", { body })).json());
  const toolCalls = [
    { tool: "delete_file", input: { path: "big" } },
    { tool: "write_file", input: { path: "small", content: "s\n" } },
  ];
  await ran([{ id: "d1", toolCalls }], service, {
    projectResources: { app: { tree: packed.directories[0] } },
  });
  const pages = await diffPagesOf(service);
  assert.equal(pages.length, 2);
  const text = Buffer.concat(pages).toString();
  assert.equal(text.match(/^-y{99}$/gm)?.length, 25_000);
  assert.match(text, /\+s\n$/);
});

test("F11: a plan that changes nothing is a success of its own kind, and its diff an empty body", async () => {
  const service = await ran([{ id: "d1" }]);
  const status = z.parse(planStatusReply, (await service.send("/v1/plans/p1")).json());
  assert.deepEqual([status.phase, status.noChanges, status.entries], ["completed", true, 0]);
  assert.equal(status.message, "Completed without changes: its decision landed.");
  const diff = await service.send("/v1/plans/p1/diff");
  assert.deepEqual([diff.status, diff.bytes.byteLength], [200, 0]);
});

test("F25: a run that fails half-way says what landed, what did not, and why; resume completes it", async () => {
  const edit = (oldText: string) => [
    { tool: "edit_file", input: { path: "d1.txt", edits: [{ oldText, newText: "two" }] } },
  ];
  const service = await ran([
    writing("d1", "one\n"),
    { id: "d2", dependsOn: ["d1"], toolCalls: edit("nothing") },
    writing("d3", "x\n", ["d2"]),
  ]);
  const failed = z.parse(planStatusReply, (await service.send("/v1/plans/p1")).json());
  assert.equal(failed.phase, "failed");
  assert.deepEqual(failed.counts, { total: 3, pending: 0, landed: 1, failed: 1, skipped: 1 });
  assert.deepEqual(
    failed.failures.map(({ decisionId, code, because }) => [decisionId, code, because]),
    [
      ["d2", "edit_no_match", undefined],
      ["d3", "dependency_failed", ["d2"]],
    ],
  );
  assert.match((await service.send("/v1/plans/p1/diff")).bytes.toString(), /\+one/);

  const bare = await service.send("/v1/plans/p1/resume", {
    body: { toolCalls: { d2: [{ tool: "edit_file" }] } },
  });
  assert.equal(bare.status, 422);
  assert.match(bare.bytes.toString(), /toolCalls\/d2\/0\/input is required, and must be an object/);
  const resumed = await service.send("/v1/plans/p1/resume", { body: { toolCalls: { d2: edit("one") } } });
  assert.equal(resumed.status, 202, resumed.bytes.toString());
  await service.drain();
  const completed = z.parse(planStatusReply, (await service.send("/v1/plans/p1")).json());
  assert.equal(completed.phase, "completed");
  assert.equal(completed.run, 2);
  assert.deepEqual(completed.counts, { total: 3, pending: 0, landed: 3, failed: 0, skipped: 0 });
  assert.equal(completed.entries, 3);
  assert.notEqual(completed.digest, failed.digest);
  const before = z.parse(planStatusReply, (await service.send("/v1/plans/p1?run=1")).json());
  assert.equal(before.digest, failed.digest);
  assert.match((await service.send("/v1/plans/p1/diff")).bytes.toString(), /\+two/);
  assert.match((await service.send("/v1/plans/p1/diff?run=1")).bytes.toString(), /\+one/);
  const decision = await service.send("/v1/plans/p1/diff?decision=d2");
  assert.match(decision.bytes.toString(), /-one\n\+two/);
});

test("a move is told as one, and content before and after an entry can be had, of nothing else", async () => {
  const service = await ran([
    writing("d1", "moved\n"),
    {
      id: "d2",
      dependsOn: ["d1"],
      toolCalls: [{ tool: "move_file", input: { source: "d1.txt", destination: "e.txt" } }],
    },
    { id: "d3", dependsOn: ["d2"], toolCalls: [{ tool: "delete_file", input: { path: "e.txt" } }] },
  ]);
  const page = z.parse(changesetReply, (await service.send("/v1/plans/p1/changeset")).json());
  assert.deepEqual(
    page.entries.flatMap(({ path, movedFrom }) => (movedFrom === undefined ? [] : [[path, movedFrom]])),
    [["e.txt", "d1.txt"]],
  );
  const sha256 = contentSha256(Buffer.from("moved\n"));
  const content = `/v1/plans/p1/content/${sha256}`;
  assert.equal((await service.send(content)).status, 404, "nothing stands that has it");
  assert.equal((await service.send(`${content}?decision=d1`)).bytes.toString(), "moved\n");
  assert.equal((await service.send(`${content}?decision=d3`)).bytes.toString(), "moved\n");
  const [other = ""] = await service.ports.storesOf("acme").content.put([Buffer.from("not of this plan")]);
  assert.equal((await service.send(`/v1/plans/p1/content/${other}`)).status, 404);
  assert.equal((await service.send(`/v1/plans/p1/content/${other}?decision=d1`)).status, 404);
});

test("a plan in pause stays there, and goes on when resumed; a cancelled one keeps its changeset", async () => {
  const service = inMemoryService();
  await service.send("/v1/plans/p1/execute", { body: { decisions: hundred } });
  const paused = await service.send("/v1/plans/p1/pause", { body: { reason: "lunch" } });
  assert.equal(paused.status, 202);
  await service.drain();
  const waiting = z.parse(planStatusReply, (await service.send("/v1/plans/p1")).json());
  assert.deepEqual([waiting.phase, waiting.counts.pending], ["paused", 100]);
  assert.equal((await service.send("/v1/plans/p1/resume", { body: {} })).status, 202);
  await service.drain();
  assert.equal(z.parse(planStatusReply, (await service.send("/v1/plans/p1")).json()).phase, "completed");

  await service.send("/v1/plans/p2/execute", { body: { decisions: hundred } });
  assert.equal(
    (await service.send("/v1/plans/p2/cancel", { body: { reason: "changed my mind" } })).status,
    202,
  );
  await service.drain();
  const cancelled = z.parse(planStatusReply, (await service.send("/v1/plans/p2")).json());
  assert.equal(cancelled.phase, "cancelled");
  assert.match(cancelled.digest ?? "", /^[0-9a-f]{64}$/);
  const events = z.parse(eventsReply, (await service.send("/v1/plans/p2/events")).json());
  assert.equal(events.events.at(-1)?.reason, "changed my mind");
});

test("a decision whose calls are more than a reply can hold is shortened, and says so; none is left out", async () => {
  const big = "z".repeat(200_000);
  const service = await ran([
    {
      id: "d1",
      toolCalls: Array.from({ length: 40 }, (_, index) => ({
        tool: "write_file",
        input: { path: `f${index}`, content: big },
      })),
    },
    writing("d2", "small"),
  ]);
  const ids: string[] = [];
  for await (const page of pagesOf(service, "/v1/plans/p1/decisions?limit=100", decisionsReply)) {
    assert.ok(Buffer.byteLength(JSON.stringify(page)) < 5 * 1024 * 1024);
    if (page.decisions[0]?.decisionId === "d1") {
      assert.match(JSON.stringify(page.decisions[0].calls[0]?.input), /leftOut.*characters of input/);
    }
    ids.push(...page.decisions.map(({ decisionId }) => decisionId));
  }
  assert.deepEqual(ids, ["d1", "d2"]);
});

test("plans are listed newest first, page by page", async () => {
  const service = inMemoryService();
  for (const id of ["a", "b", "c"]) {
    await service.send(`/v1/plans/${id}/execute`, { body: { name: `plan ${id}`, decisions: [] } });
  }
  const list = z.object({ plans: z.array(z.object({ planId: z.string() })), cursor: z.optional(z.string()) });
  const pages: string[][] = [];
  for await (const page of pagesOf(service, "/v1/plans?limit=2", list)) {
    pages.push(page.plans.map(({ planId }) => planId));
  }
  assert.deepEqual(pages, [["c", "b"], ["a"]]);
});

test("plans are listed with their phases, newest first", async () => {
  const service = await ran([writing("a", "1")]);
  const failing = { id: "b", toolCalls: [{ tool: "delete_file", input: { path: "absent" } }] };
  assert.equal((await service.send("/v1/plans/p2/execute", { body: { decisions: [failing] } })).status, 202);
  await service.drain();
  assert.equal((await service.send("/v1/plans/p3/execute", { body: { decisions: [] } })).status, 202);
  const listed: (readonly [string, string | undefined])[] = [];
  for await (const page of pagesOf(service, "/v1/plans?limit=2", planListReply)) {
    listed.push(...page.plans.map(({ planId, phase }) => [planId, phase] as const));
  }
  assert.deepEqual(listed, [
    ["p3", "submitted"],
    ["p2", "failed"],
    ["p1", "completed"],
  ]);
});

test("an unknown plan is said to be unknown, and so is a further run of one that is known", async () => {
  const service = await ran([]);
  const answers = await Promise.all(
    [
      "/v1/plans/p9",
      "/v1/plans/p9/events",
      "/v1/plans/p9/decisions",
      "/v1/plans/p9?run=1",
      "/v1/plans/p1?run=7",
    ].map((path) => service.send(path)),
  );
  assert.deepEqual(
    answers.map((answer) => [answer.status, z.parse(z.object({ detail: z.string() }), answer.json()).detail]),
    [
      [404, "There is no plan p9."],
      [404, "There is no plan p9."],
      [404, "There is no plan p9."],
      [404, "There is no plan p9."],
      [404, "There is no run 7 of plan p1."],
    ],
  );
});
