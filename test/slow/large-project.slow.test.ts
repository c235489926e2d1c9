import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { type SourceFile, uploadTree } from "#lib/client/upload-tree.ts";
import { contentSha256 } from "#lib/content/content-state.ts";
import { type AwsWire, startAwsWire, type WireCall } from "./aws-wire.testkit.ts";
import { type DevProcess, startDev } from "./dev-process.testkit.ts";
import { watchFrontiers } from "./ended-plan.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { unitsOf } from "./wire-units.testkit.ts";

const directory = mkdtempSync(join(tmpdir(), "large-project-"));
let wire: AwsWire;
let dev: DevProcess;
let frontiers: ReturnType<typeof watchFrontiers>;

before(async () => {
  wire = await startAwsWire();
  dev = await startDev({
    cwd: directory,
    port: 0,
    dataDir: join(directory, "data"),
    env: { AWS_ENDPOINT_URL: wire.url },
  });
  frontiers = watchFrontiers(wire.direct.dynamodbEndpoint);
});
after(async () => {
  frontiers?.stop();
  await dev?.stop();
  await wire?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** 20 directories with 20 below each and 50 files in each of those; no two files are alike. */
function project(changed: ReadonlyMap<string, string>): readonly SourceFile[] {
  return Array.from({ length: 20_000 }, (_, index) => {
    const path = `d${index % 20}/e${Math.floor(index / 20) % 20}/f${index}.ts`;
    const text = changed.get(path) ?? `export const file${index} = ${index};\n// untouched\n`;
    return { path, mode: "100644", read: async () => Buffer.from(text) };
  });
}

const deepPath = "d7/e11/f10227.ts";

/** Uploads, and counts the requests to the service and those of the service to its stores. */
async function counted(files: readonly SourceFile[]) {
  const routes = new Map<string, number>();
  const client = planledgerClient({
    url: dev.url,
    token: dev.token,
    fetch: (input, init) => {
      const { pathname } = new URL(String(input));
      routes.set(pathname, (routes.get(pathname) ?? 0) + 1);
      return fetch(input, init);
    },
  });
  const from = wire.calls.length;
  const startedAt = performance.now();
  const uploaded = await uploadTree({ client, files });
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = [...routes.values()].reduce((sum, count) => sum + count, 0);
  const calls = wire.calls.slice(from);
  return { uploaded, requests, routes, calls, seconds };
}

const objectsPut = (calls: readonly WireCall[], kind: string) =>
  calls.filter(
    ({ operation, target }) => operation === "PUT" && target.split("?")[0]?.includes(`/${kind}/`) === true,
  ).length;

let tree: string;

test("a project of 20,000 files goes up in a few dozen requests", async () => {
  const { uploaded, requests, routes, calls, seconds } = await counted(project(new Map()));
  ({ tree } = uploaded);
  measured("upload of 20,000 files", { seconds, requests, ...Object.fromEntries(routes) });
  assert.deepEqual(
    [uploaded.fileCount, uploaded.sentContents, uploaded.sentDirectories],
    [20_000, 20_000, 421],
  );
  assert.equal(objectsPut(calls, "content"), 20_000);
  assert.equal(objectsPut(calls, "trees"), 421);
  assert.ok(requests <= 40, `${requests} requests`);
});

test("a decision that edits one of 20,000 files loads only what lies on that file's path", async () => {
  const from = wire.calls.length;
  await dev.client.executePlan({
    planId: "one-file",
    plan: {
      projectResources: { app: { tree } },
      decisions: [
        {
          id: "d1",
          toolCalls: [
            {
              tool: "edit_file",
              input: { path: deepPath, edits: [{ oldText: "untouched", newText: "touched" }] },
            },
          ],
        },
      ],
    },
  });
  const frontier = await frontiers.ended({ planId: "one-file" });
  assert.deepEqual([frontier.state.phase, frontier.counts.entries], ["completed", 1]);
  const calls = wire.calls.slice(from);
  // The submission ends with its hint; all that follows is the worker's.
  const hint = calls.findIndex(({ operation }) => operation === "SendMessage");
  const work = calls.slice(hint);
  const submission = unitsOf(calls.slice(0, hint));
  const worker = unitsOf(work.filter(({ service }) => service !== "sqs"));
  measured("submission of one decision", { ...submission });
  measured("worker of one decision on 20,000 files", { ...worker });

  const { entries: root } = await dev.client.content.directory(tree);
  const loaded = work
    .filter(({ service, operation }) => service === "s3" && operation === "GET")
    .map(({ target }) => target.split("?")[0]?.split("/").slice(-2).join("/"));
  const expected = [`trees/${tree}`];
  let entries = root;
  for (const name of deepPath.split("/")) {
    const entry = entries.find((one) => one.name === name);
    assert.ok(entry);
    if (entry.kind === "file") expected.push(`content/${entry.file.sha256}`);
    else {
      expected.push(`trees/${entry.directory.sha256}`);
      ({ entries } = await dev.client.content.directory(entry.directory.sha256));
    }
  }
  assert.deepEqual([...new Set(loaded)].sort(), expected.sort());
  assert.equal(loaded.length, 4, "each once");
  assert.equal(worker.objectPuts, 0);
  assert.ok(worker.tableRequests <= 8, `${worker.tableRequests} requests to the table`);
  assert.ok(submission.objectGets <= 2, `${submission.objectGets} reads of objects to accept the plan`);
});

test("the next upload sends the one file that changed and the directories on its path", async () => {
  const text = "export const changed = true;\n";
  const { uploaded, requests, routes, calls, seconds } = await counted(project(new Map([[deepPath, text]])));
  const used = unitsOf(calls);
  measured("second upload, one file changed", {
    seconds,
    requests,
    ...Object.fromEntries(routes),
    objectGets: used.objectGets,
    objectPuts: used.objectPuts,
  });
  assert.deepEqual(
    [uploaded.sentContents, uploaded.sentDirectories, uploaded.sentBytes],
    [1, 3, Buffer.byteLength(text)],
  );
  assert.deepEqual([objectsPut(calls, "content"), objectsPut(calls, "trees")], [1, 3]);
  assert.ok(requests <= 8, `${requests} requests`);
  const bytes = await dev.client.content.get(contentSha256(Buffer.from(text)));
  assert.equal(Buffer.from(bytes).toString(), text);
  assert.notEqual(uploaded.tree, tree);

  const again = await counted(project(new Map([[deepPath, text]])));
  measured("third upload, nothing changed", { seconds: again.seconds, requests: again.requests });
  assert.equal(again.requests, 1);
  assert.equal(unitsOf(again.calls).objectPuts, 0);
});
