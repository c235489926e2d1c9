import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as z from "zod/mini";
import { sourceReply, sourceRunsReply } from "#lib/api/source-requests.ts";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { uploadTree } from "#lib/client/upload-tree.ts";
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
let aheadMs = Date.UTC(2026, 10, 30, 10, 0, 30) - performance.now();
const clock = { now: () => Math.floor(performance.now() + aheadMs) };
const there = clientOf(() => upstream);
const here = clientOf(() => service);

before(async () => {
  upstream = await startEmbeddedService({ port: 0 });
  web = await outsideServer(({ url, headers }, response) => {
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
    allowedHosts: [new URL(upstream.url).host, `127.0.0.1:${web.port}`],
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
