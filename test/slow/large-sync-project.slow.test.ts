import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { contentSha256 } from "#lib/content/content-state.ts";
import { type AwsWire, startAwsWire, type WireCall } from "./aws-wire.testkit.ts";
import { startCommand } from "./command.testkit.ts";
import { type DevProcess, startDev } from "./dev-process.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { type ServiceCall, type ServiceWire, startServiceWire } from "./service-wire.testkit.ts";
import { unitsOf } from "./wire-units.testkit.ts";

const directory = mkdtempSync(join(tmpdir(), "large-sync-project-"));
const copy = join(directory, "copy");
const fileCount = 20_000;
const directoryCount = 1 + 20 + 400;
let wire: AwsWire;
let dev: DevProcess;
let service: ServiceWire;

/** 20 directories with 20 below each and 50 files in each of those; no two files are alike. */
const pathOf = (index: number) => `app/d${index % 20}/e${Math.floor(index / 20) % 20}/f${index}.ts`;
const textOf = (index: number) => `export const file${index} = ${index};\n// untouched\n`;

before(async () => {
  wire = await startAwsWire();
  dev = await startDev({
    cwd: directory,
    port: 0,
    dataDir: join(directory, "data"),
    env: { AWS_ENDPOINT_URL: wire.url },
  });
  service = await startServiceWire(dev.url);
  for (let place = 0; place < 400; place += 1) {
    mkdirSync(join(copy, `app/d${place % 20}/e${Math.floor(place / 20)}`), { recursive: true });
  }
  for (let index = 0; index < fileCount; index += 1) writeFileSync(join(copy, pathOf(index)), textOf(index));
  mkdirSync(join(copy, "projects"));
  writeFileSync(join(copy, "projects/app.yaml"), 'id: local/app\nversion: "1"\ndirectory: app\n');
});
after(async () => {
  await service?.stop();
  await dev?.stop();
  await wire?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const start = () =>
  startCommand(["sync", "--json", "--scope", "projects"], {
    cwd: copy,
    env: { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: dev.token },
  });

/** What passed since: requests to the service, what they carried, and the objects that its stores got. */
function passed(from: { readonly calls: number; readonly answers: number }) {
  const requests = service.calls.slice(from.answers);
  // A service that is too busy to answer in time has taken nothing, and the client sends that again.
  const taken = requests.filter(({ status }) => status === 200);
  return {
    requests,
    contents: taken.flatMap(({ contents }) => contents),
    directories: taken.reduce((sum, call) => sum + call.directories, 0),
    calls: wire.calls.slice(from.calls),
  };
}
const now = () => ({ calls: wire.calls.length, answers: service.calls.length });

const objectsPut = (calls: readonly WireCall[], kind: "content" | "trees") =>
  calls.filter(
    ({ operation, target }) => operation === "PUT" && target.split("?")[0]?.includes(`/${kind}/`) === true,
  ).length;
const bytesOf = (requests: readonly ServiceCall[]) =>
  requests.reduce((sum, { requestBytes }) => sum + requestBytes, 0);

async function synced() {
  const from = now();
  const startedAt = performance.now();
  const { exitCode, stdout, stderr } = await start().ended;
  assert.equal(exitCode, 0, `${stdout}${stderr}`.slice(-2000));
  const seconds = (performance.now() - startedAt) / 1000;
  return { summary: JSON.parse(stdout), seconds, ...passed(from) };
}

test("a first sync of 20,000 files that is killed in the middle goes on with what was missing alone", async () => {
  const from = now();
  const { child, ended } = start();
  let packs = 0;
  service.onAnswer = ({ status, contents }) => {
    if (status === 200 && contents.length > 0) packs += 1;
    // The answer does not reach it any more.
    if (packs === 8) child.kill("SIGKILL");
  };
  assert.equal((await ended).exitCode, null);
  await service.idle();
  service.onAnswer = () => undefined;
  const killed = passed(from);
  const there = killed.contents.length;
  assert.ok(there > 5_000 && there < fileCount - 5_000, `${there} contents had come when it was killed`);

  const { summary, seconds, requests, contents, directories, calls } = await synced();
  measured("sync of 20,000 files after a kill", { seconds, requests: requests.length, there });
  assert.deepEqual([summary.created, summary.errors], [1, []]);
  assert.equal(contents.length, fileCount - there);
  const sent = new Set([...killed.contents, ...contents].map(({ sha256 }) => sha256));
  assert.equal(sent.size, fileCount, "nothing travels twice, and nothing is left out");
  assert.equal(killed.directories + directories, directoryCount);
  const put = [...killed.calls, ...calls].filter(
    ({ service, operation }) => service === "s3" && operation === "PUT",
  );
  assert.equal(new Set(put.map(({ target }) => target)).size, fileCount + directoryCount);
  // What came with a directory is not read again to check it: only directories that name others are looked up.
  assert.ok(unitsOf(calls).objectGets <= 3 * directoryCount, `${unitsOf(calls).objectGets} objects read`);
  assert.equal(summary.requests, requests.length);
});

test("after one file changed the next sync sends it and the directories on its path, and nothing else", async () => {
  const text = "export const changed = true;\n";
  writeFileSync(join(copy, pathOf(10_227)), text);
  const { summary, seconds, requests, contents, directories, calls } = await synced();
  const used = unitsOf(calls.filter((call) => call.service !== "sqs"));
  measured("sync of 20,000 files, one of them changed", { seconds, requests: requests.length, ...used });
  assert.deepEqual([summary.updated, summary.writes, summary.errors], [1, 1, []]);
  assert.deepEqual(contents, [{ sha256: contentSha256(Buffer.from(text)), sizeBytes: text.length }]);
  // The root, d7, and e11 in it.
  assert.equal(directories, 3);
  assert.deepEqual([objectsPut(calls, "content"), objectsPut(calls, "trees")], [1, 3]);
  assert.ok(requests.length <= 10, `${requests.length} requests`);
  const packBytes = bytesOf(requests.filter(({ path }) => path === "/v1/content/packs"));
  // An entry of a directory takes some 200 bytes: 20, 20 and 50 of them.
  assert.ok(packBytes <= 90 * 300, `${packBytes} bytes in packs`);
});

test("of 20,000 unchanged files nothing at all is asked or sent: one listing", async () => {
  const { summary, seconds, requests, calls } = await synced();
  measured("sync of 20,000 unchanged files", { seconds, requests: requests.length });
  assert.deepEqual([summary.skipped, summary.writes], [1, 0]);
  assert.deepEqual(
    requests.map(({ method, path }) => `${method} ${path}`),
    ["GET /v1/sync"],
  );
  assert.equal(unitsOf(calls).objectPuts, 0);
});
