import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as z from "zod/mini";
import { sourceReply, sourceRunsReply } from "#lib/api/source-requests.ts";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { uploadTree } from "#lib/client/upload-tree.ts";
import type { LogRecord } from "#lib/log/log.ts";
import { type Outside, outsideServer } from "#lib/tools/external/outside.testkit.ts";
import { clientOf } from "./embedded-service.testkit.ts";
import { type EmbeddedService, startEmbeddedService } from "./start-embedded-service.ts";

const directory = mkdtempSync(join(tmpdir(), "sync-sources-"));
const secretsFile = join(directory, "secrets.json");
let upstream: EmbeddedService;
let service: EmbeddedService;
let web: Outside;
let closed: Outside;
/** What the web server answers, by path. */
const pages = new Map<string, { readonly body: string; readonly etag?: string; readonly status?: number }>();
/** A page of a listing that gives another cursor for ever. */
const endlessPage = JSON.stringify({
  cursor: "#",
  resources: Array.from({ length: 5_000 }, (_, index) => ({
    ...{
      kind: "skills",
      id: `endless/s${index}`,
      serverId: "res_1",
      revision: 1,
      version: "1",
      deleted: false,
    },
    contentSha256: "a".repeat(64),
  })),
});
const slow = new Map<string, () => Promise<void>>();
const logged: LogRecord[] = [];
let aheadMs = Date.UTC(2026, 10, 30, 10, 0, 30) - performance.now();
const clock = { now: () => Math.floor(performance.now() + aheadMs) };
/** What the worker is told of its time, where a test says so. */
let remaining: (() => number) | undefined;
const there = clientOf(() => upstream);
const here = clientOf(() => service);

before(async () => {
  upstream = await startEmbeddedService({ port: 0 });
  web = await outsideServer(async ({ url, headers }, response) => {
    await slow.get(url)?.();
    // A service that gives back what it was sent.
    if (url.startsWith("/echo/")) return void response.writeHead(400).end(`no ${headers.authorization}`);
    if (url.startsWith("/endless/"))
      return void response.end(endlessPage.replace("#", `${web.received.length}`));
    const page = pages.get(url);
    if (page === undefined) return void response.writeHead(404).end();
    if (page.etag !== undefined && headers["if-none-match"] === page.etag) {
      return void response.writeHead(304).end();
    }
    response.writeHead(page.status ?? 200, page.etag === undefined ? {} : { etag: page.etag });
    response.end(page.body);
  });
  closed = await outsideServer();
  writeFileSync(secretsFile, JSON.stringify({ local: { UPSTREAM: upstream.token } }), { mode: 0o600 });
  service = await startEmbeddedService({
    port: 0,
    clock,
    secretsFile,
    log: { write: (record) => logged.push(record) },
    allowedHosts: [new URL(upstream.url).host, `127.0.0.1:${web.port}`],
    wrapHandler: (name, handler) => async (event, context) =>
      handler(
        event,
        name === "sourceWorker" && remaining !== undefined
          ? { ...context, getRemainingTimeInMillis: remaining }
          : context,
      ),
  });
});
after(async () => {
  await service.stop();
  await upstream.stop();
  await web[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const put = (path: string, value: unknown) => here.sendJson(path, value, { method: "PUT" });
const save = async (name: string, source: unknown) => {
  const answer = await put(`/v1/sync/sources/${name}`, source);
  assert.ok(answer.status === 200 || answer.status === 201, answer.text);
};
const runsOf = async (name: string) => {
  const answer = await here.send(`/v1/sync/sources/${name}/runs`);
  assert.equal(answer.status, 200, answer.text);
  return z.parse(sourceRunsReply, answer.json()).runs;
};
const read = async (name: string) =>
  z.parse(sourceReply, (await here.send(`/v1/sync/sources/${name}`)).json());

/** The run with this number, once it has ended; ticks bring it on its way. */
async function ended(name: string, run: number) {
  for (const giveUp = AbortSignal.timeout(60_000); ; giveUp.throwIfAborted()) {
    const found = (await runsOf(name)).find((one) => one.run === run);
    const { running } = await read(name);
    if (found !== undefined && running === undefined) return found;
    if (running === undefined) await service.runSchedule("tick");
  }
}

/** Moves the clock to the source's next time, and ticks. */
async function tickAtNext(name: string): Promise<void> {
  const { nextRunAt = "" } = await read(name);
  aheadMs += Math.max(0, Date.parse(nextRunAt) - clock.now());
  await service.runSchedule("tick");
}

const upstreamTool = async (id: string, text: string, version = "1") => {
  const answer = await there.sendJson(`/v1/skills/${id}`, { version, instructions: text }, { method: "PUT" });
  assert.ok(answer.status < 300, answer.text);
};
const instructions = async (id: string) => {
  const answer = await here.send(`/v1/skills/${id}`);
  return answer.status === 404
    ? undefined
    : z.parse(z.object({ item: z.object({ instructions: z.string() }) }), answer.json()).item.instructions;
};

test("a tenant is synced from another service, projects with their files, and again when it is due", async () => {
  await upstreamTool("team/review", "look twice");
  const client = planledgerClient({ url: upstream.url, token: upstream.token });
  const files = ["src/a.ts", "docs/b.md"].map((path) => ({
    path,
    mode: "100644" as const,
    read: async () => Buffer.from(`what ${path} says`),
  }));
  const { tree } = await uploadTree({ client, files });
  await client.projects.put("team/app", { tree });

  await save("upstream", {
    from: { kind: "service", url: upstream.url, token: "secret:UPSTREAM" },
    everyMinutes: 15,
  });
  const first = await ended("upstream", 1);
  assert.equal(first.outcome, "completed", JSON.stringify(first));
  assert.deepEqual([first.summary?.pulled, first.summary?.errors, first.summary?.conflicts], [2, [], []]);
  assert.equal(await instructions("team/review"), "look twice");
  const mine = planledgerClient({ url: service.url, token: service.token });
  const root = await mine.content.directory(tree);
  assert.deepEqual(
    root.entries.map(({ name }) => name),
    ["docs", "src"],
  );

  await tickAtNext("upstream");
  const second = await ended("upstream", 2);
  assert.deepEqual([second.summary?.pulled, second.summary?.skipped], [0, 2]);
  assert.equal(second.summary?.requests, 1);
  assert.equal((await mine.projects.get("team/app")).revision, 1);

  await upstreamTool("team/review", "look three times", "2");
  await tickAtNext("upstream");
  assert.equal((await ended("upstream", 3)).summary?.pulled, 1);
  assert.equal(await instructions("team/review"), "look three times");
});

const skill = (id: string, text: string, version = "1") => ({
  kind: "skills",
  document: { id, name: id, version, metadata: {}, instructions: text },
});
const offer = (path: string, items: readonly unknown[], etag?: string) =>
  void pages.set(path, {
    body: JSON.stringify({ planledgerCatalogue: 1, items }),
    ...(etag === undefined ? {} : { etag }),
  });
const catalogue = (path: string) => ({ kind: "catalogue", url: `${web.url}${path}` });
const requestsFor = (path: string) => web.received.filter(({ url }) => url === path);
const revisionOf = async (id: string) =>
  z.parse(z.object({ revision: z.number() }), (await here.send(`/v1/skills/${id}`)).json()).revision;

test("a catalogue that is unchanged costs one conditional request and no write; a changed one its changes", async () => {
  const path = "/etag.json";
  offer(path, [skill("web/a", "first"), skill("web/b", "first")], '"v1"');
  await save("etag", { from: catalogue(path), prune: true, maxDelete: 1, everyMinutes: 5 });
  assert.equal((await ended("etag", 1)).summary?.pulled, 2);

  await tickAtNext("etag");
  const unchanged = await ended("etag", 2);
  assert.deepEqual(
    [unchanged.outcome, unchanged.unchanged, unchanged.summary?.requests, unchanged.summary?.writes],
    ["completed", true, 1, 0],
  );
  assert.equal(requestsFor(path).at(-1)?.headers["if-none-match"], '"v1"');
  assert.equal(await revisionOf("web/a"), 1);

  offer(path, [skill("web/a", "second", "2")], '"v2"');
  await tickAtNext("etag");
  const changed = await ended("etag", 3);
  assert.deepEqual([changed.summary?.pulled, changed.summary?.deleted], [1, 1]);
  assert.deepEqual([await instructions("web/a"), await instructions("web/b")], ["second", undefined]);

  // Two would go, and no more than one may.
  offer(path, [skill("web/a", "second", "2"), skill("web/c", "x"), skill("web/d", "x")], '"v3"');
  await tickAtNext("etag");
  assert.equal((await ended("etag", 4)).summary?.pulled, 2);
  offer(path, [skill("web/a", "third", "3")], '"v4"');
  await tickAtNext("etag");
  const refused = await ended("etag", 5);
  assert.deepEqual([refused.outcome, refused.problem?.code], ["failed", "too_many_deletions"]);
  assert.deepEqual([await instructions("web/a"), await instructions("web/c")], ["second", "x"]);
});

test("a conflict is told again by every run, as long as it stands, also of a catalogue that is unchanged", async () => {
  const path = "/conflict.json";
  await put("/v1/skills/web/ours", { version: "1", instructions: "ours" });
  offer(path, [skill("web/ours", "theirs")], '"v1"');
  await save("conflict", { from: catalogue(path), everyMinutes: 5 });
  for (const run of [1, 2]) {
    const { outcome, unchanged, summary } = await ended("conflict", run);
    assert.deepEqual([outcome, unchanged, summary?.conflictCount], ["completed", false, 1]);
    if (run === 1) await tickAtNext("conflict");
  }
  await save("conflict", { from: catalogue(path), everyMinutes: 5, policy: "local_wins" });
  const won = await ended("conflict", 3);
  assert.deepEqual([won.summary?.conflictCount, won.unchanged], [0, false]);
  await tickAtNext("conflict");
  assert.equal((await ended("conflict", 4)).unchanged, false);
  await save("conflict", { from: catalogue(path), everyMinutes: 5, policy: "server_wins" });
  assert.equal((await ended("conflict", 5)).summary?.pulled, 1);
  assert.equal(await instructions("web/ours"), "theirs");
  await tickAtNext("conflict");
  assert.equal((await ended("conflict", 6)).unchanged, true);
});

test("a source that is broken waits longer each time, tells why, and stops nobody else's", async () => {
  pages.set("/broken.json", { body: "<html>", status: 503 });
  offer("/fine.json", [skill("web/fine", "fine")]);
  await save("broken", { from: catalogue("/broken.json"), everyMinutes: 1 });
  await save("fine", { from: catalogue("/fine.json"), everyMinutes: 1 });
  const first = await ended("broken", 1);
  assert.deepEqual([first.outcome, first.problem?.code], ["failed", "external_failed"]);
  assert.match(first.problem?.message ?? "", /broken\.json answered 503/);
  assert.equal((await ended("fine", 1)).outcome, "completed");

  const waits: number[] = [];
  for (let run = 1; run <= 4; run += 1) {
    const { nextRunAt = "", failures, lastRun } = await read("broken");
    assert.equal(failures, run);
    waits.push(Date.parse(nextRunAt) - Date.parse(lastRun?.endedAt ?? ""));
    await tickAtNext("broken");
    await ended("broken", run + 1);
  }
  for (const [index, wait] of waits.entries()) {
    const ceiling = 60_000 * 2 ** index;
    assert.ok(wait >= ceiling / 2 && wait <= ceiling + 1_000, `${index}: ${wait}`);
  }
  assert.ok((await runsOf("fine")).length > 1);
  pages.set("/broken.json", { body: JSON.stringify({ planledgerCatalogue: 1, items: [] }) });
  await tickAtNext("broken");
  assert.equal((await ended("broken", 6)).outcome, "completed");
  assert.equal((await read("broken")).failures, 0);
});

test("addresses that are not public, plain http, redirects and secrets that are not set are refused, and nothing is sent", async () => {
  const problemOf = async (name: string, from: unknown) => {
    await save(name, { from });
    const run = await ended(name, 1);
    assert.equal(run.outcome, "failed");
    return run.problem;
  };
  const inner = `https://127.0.0.1:${closed.port}/`;
  assert.equal((await problemOf("inner", { kind: "catalogue", url: inner }))?.code, "address_refused");
  const token = "secret:UPSTREAM";
  assert.equal(
    (await problemOf("inner-service", { kind: "service", url: inner, token }))?.code,
    "address_refused",
  );
  const plain = await problemOf("plain", { kind: "catalogue", url: "http://example.org/c.json" });
  assert.equal(plain?.code, "address_refused");
  const unset = { kind: "service", url: upstream.url, token: "secret:UNSET" };
  assert.equal((await problemOf("unset", unset))?.code, "secret_missing");
  assert.equal(closed.connections(), 0);

  pages.set("/moved.json", { body: "", status: 302 });
  assert.equal((await problemOf("moved", catalogue("/moved.json")))?.code, "redirect_refused");
});

test("a token is looked up when a run begins, sent to its own server, and stands in no record", async () => {
  pages.set("/private.json", { body: `no such ${upstream.token}`, status: 401 });
  await save("private", { from: { ...catalogue("/private.json"), token: "secret:UPSTREAM" } });
  const run = await ended("private", 1);
  assert.equal(run.outcome, "failed");
  assert.equal(requestsFor("/private.json").at(-1)?.headers.authorization, `Bearer ${upstream.token}`);
  const wrong = { kind: "service", url: upstream.url, token: "secret:WRONG" };
  writeFileSync(
    secretsFile,
    JSON.stringify({ local: { UPSTREAM: upstream.token, WRONG: "plt_wrong_token_of_nobody" } }),
    { mode: 0o600 },
  );
  await save("wrong", { from: wrong });
  assert.equal((await ended("wrong", 1)).problem?.code, "unauthenticated");
  await save("echo", { from: { kind: "service", url: `${web.url}/echo`, token: "secret:UPSTREAM" } });
  assert.match((await ended("echo", 1)).problem?.message ?? "", /no Bearer \[redacted\]/);
  const none = { planledgerCatalogue: 1, items: [] };
  pages.set("/keys.json", { body: JSON.stringify({ ...none, [upstream.token]: 1 }) });
  offer("/members.json", [{ kind: "skills", document: {}, [upstream.token]: 1 }]);
  for (const name of ["keys", "members"]) {
    await save(name, { from: { ...catalogue(`/${name}.json`), token: "secret:UPSTREAM" } });
    assert.match(JSON.stringify(await ended(name, 1)), /"field":"\/\[redacted\]"/);
  }
  const told = [await runsOf("private"), await read("private"), await runsOf("wrong"), await read("echo")];
  const everything = JSON.stringify([...told, await runsOf("keys"), await runsOf("members"), logged]);
  assert.ok(!everything.includes(upstream.token) && !everything.includes("plt_wrong"));
});

test("a service whose listing never ends is refused, and not read until nothing more fits into the function", async () => {
  await save("endless", { from: { kind: "service", url: `${web.url}/endless`, token: "secret:UPSTREAM" } });
  const { outcome, problem, summary } = await ended("endless", 1);
  assert.deepEqual([outcome, problem?.code], ["failed", "limit_exceeded"], JSON.stringify(problem));
  assert.equal(summary?.requests, 41);
});

test("of a catalogue whose keys and ids are endless a run is recorded all the same, and what it had is told", async () => {
  // In a form that no compression makes smaller.
  const endless = (index: number) =>
    Array.from({ length: 1_000 }, (_, part) =>
      createHash("sha256").update(`${index} ${part}`).digest("hex"),
    ).join("");
  const indexes = Array.from({ length: 20 }, (_, index) => index);
  const none = { planledgerCatalogue: 1, items: [] };
  pages.set("/wide.json", { body: JSON.stringify({ ...none, [indexes.map(endless).join("")]: 1 }) });
  offer(
    "/tall.json",
    indexes.map((index) => ({ ...skill(`tall/s${index}`, "x"), [endless(index)]: 1 })),
  );
  await save("wide", { from: catalogue("/wide.json") });
  await save("tall", { from: catalogue("/tall.json") });
  const wide = await ended("wide", 1);
  assert.deepEqual([wide.outcome, wide.problem?.code], ["failed", "validation_failed"]);
  assert.match(wide.problem?.field ?? "", /^\/[0-9a-f]{100,}$/);
  const { outcome, summary } = await ended("tall", 1);
  assert.deepEqual([outcome, summary?.errorCount, summary?.errors.length], ["completed", 20, 20]);
});

test("a run whose time is over stops between two items, says so, and the next goes on at once", async () => {
  const path = "/long.json";
  offer(
    path,
    Array.from({ length: 30 }, (_, index) => skill(`long/s${index}`, "x")),
  );
  let looks = 0;
  remaining = () => {
    looks += 1;
    return looks > 15 ? 0 : 120_000;
  };
  await save("long", { from: catalogue(path), paused: true });
  const asked = await here.send("/v1/sync/sources/long/run", { method: "POST" });
  assert.equal(asked.status, 202);
  const first = await ended("long", 1);
  assert.equal(first.outcome, "unfinished", JSON.stringify(first));
  assert.match(first.message ?? "", /the next run goes on/);
  const done = first.summary?.pulled ?? 0;
  assert.ok(done > 0 && done < 30, `${done}`);
  remaining = undefined;
  const resumed = await here.send("/v1/sync/sources/long/resume", { method: "POST" });
  assert.equal(resumed.status, 200);
  const second = await ended("long", 2);
  assert.deepEqual(
    [second.outcome, second.summary?.pulled, second.summary?.conflicts],
    ["completed", 30 - done, []],
  );
  assert.equal(await revisionOf("long/s0"), 1);
});

test("a source that runs is not run a second time, and one that is deleted meanwhile ends its run", async () => {
  const path = "/slow.json";
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  offer(path, [skill("slow/a", "too late")]);
  slow.set(path, async () => {
    reached.resolve();
    await released.promise;
  });
  await save("slow", { from: catalogue(path) });
  await reached.promise;
  const again = await here.send("/v1/sync/sources/slow/run", { method: "POST" });
  assert.equal(again.status, 409, again.text);
  assert.equal(z.parse(z.object({ code: z.string() }), again.json()).code, "sync_running");
  await service.runSchedule("tick");
  assert.deepEqual((await read("slow")).running?.run, 1);

  assert.equal((await here.send("/v1/sync/sources/slow", { method: "DELETE" })).status, 204);
  aheadMs += 2_000;
  released.resolve();
  const ran = () =>
    logged.find(({ event, schedule }) => event === "sync_source_ran" && schedule === "sources/slow");
  for (const giveUp = AbortSignal.timeout(60_000); ran() === undefined; giveUp.throwIfAborted()) {
    await here.send("/v1/health");
  }
  assert.equal(ran()?.outcome, "stopped");
  assert.equal(await instructions("slow/a"), undefined);
  assert.equal(requestsFor(path).length, 1);
  assert.equal((await here.send("/v1/sync/sources/slow")).status, 404);
  assert.equal((await here.send("/v1/sync/sources/slow", { method: "DELETE" })).status, 404);
});
