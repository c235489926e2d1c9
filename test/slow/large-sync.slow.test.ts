import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type AwsWire, startAwsWire, type WireCall } from "./aws-wire.testkit.ts";
import { startCommand } from "./command.testkit.ts";
import { type DevProcess, startDev } from "./dev-process.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { type ServiceCall, type ServiceWire, startServiceWire } from "./service-wire.testkit.ts";
import { unitsOf } from "./wire-units.testkit.ts";

const directory = mkdtempSync(join(tmpdir(), "large-sync-"));
const copy = join(directory, "copy");
let wire: AwsWire;
let dev: DevProcess;
let service: ServiceWire;

/** In so small a heap most of the time is its collector's. The same counts, in one process, stand in `lib/sync`. */
const skip = process.env.LONG === "1" ? false : "takes minutes; LONG=1 runs it";

before(async () => {
  if (skip !== false) return;
  wire = await startAwsWire();
  dev = await startDev({
    cwd: directory,
    port: 0,
    dataDir: join(directory, "data"),
    env: { AWS_ENDPOINT_URL: wire.url },
  });
  service = await startServiceWire(dev.url);
});
after(async () => {
  await service?.stop();
  await dev?.stop();
  await wire?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const itemCount = 10_000;
const heapMiB = 96;
/** Its arrow takes two bytes in the heap, and so does every character beside it. */
const proseOf = (index: number) =>
  `Step ${index} → do it well, and say what was done. `.repeat(125).trimEnd();

/** One in ten is an action, one in ten a tool, the others are skills. */
function writeItems(): void {
  for (const kind of ["actions", "tools", "skills"]) mkdirSync(join(copy, kind), { recursive: true });
  for (let index = 0; index < itemCount; index += 1) {
    const prose = proseOf(index);
    if (index % 10 === 0) {
      const plan = "plan: { decisions: [{ id: look, toolCalls: [] }] }";
      writeFileSync(
        join(copy, `actions/action-${index}.yaml`),
        `# Ours.\nid: local/action-${index}\nversion: "1.0"\ndescription: ${prose}\n${plan}\n`,
      );
    } else if (index % 10 === 1) {
      writeFileSync(
        join(copy, `tools/tool-${index}.yaml`),
        `name: tool-${index}\ndescription: ${prose}\ninputSchema: { type: object }\n_meta: { id: local/tool-${index}, version: "1.0" }\n`,
      );
    } else {
      mkdirSync(join(copy, `skills/skill-${index}`));
      writeFileSync(
        join(copy, `skills/skill-${index}/SKILL.md`),
        `---\nname: skill-${index}\ndescription: number ${index}\n---\n\n${prose}\n`,
      );
    }
  }
}

/** One `planledger sync` of the working copy, and what went over the two wires meanwhile. */
async function counted(options: { readonly heapMiB?: number; readonly terminal?: boolean } = {}) {
  const [fromCall, fromAnswer] = [wire.calls.length, service.calls.length];
  const startedAt = performance.now();
  const env = { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: dev.token };
  const { exitCode, stdout, stderr } = await startCommand(["sync", "--json"], { cwd: copy, env, ...options })
    .ended;
  assert.equal(exitCode, 0, stderr.slice(-2000));
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = service.calls.slice(fromAnswer);
  const table = wire.calls.slice(fromCall).filter((call) => call.service === "dynamodb");
  return { summary: JSON.parse(stdout), stderr, requests, table: unitsOf(table), calls: table, seconds };
}

/** Of single items of the working copy; what the service does by the clock reads others. */
const gets = (calls: readonly WireCall[]) =>
  calls.filter(({ operation, target }) => operation === "GetItem" && target.includes("local/"));

const most = (calls: readonly ServiceCall[], of: (call: ServiceCall) => number) =>
  calls.reduce((largest, call) => Math.max(largest, of(call)), 0);

test("10,000 new items go up in batches, in a heap that does not hold them all, and the progress is told", {
  skip,
}, async () => {
  const heldBytes = Array.from({ length: itemCount }, (_, index) => 2 * proseOf(index).length);
  assert.ok(heldBytes.reduce((sum, bytes) => sum + bytes) > heapMiB * 2 ** 20, "all of them do not fit");
  writeItems();
  const { summary, stderr, requests, table, calls, seconds } = await counted({ heapMiB, terminal: true });
  const puts = calls.filter(({ operation }) => operation === "PutItem");
  measured("10,000 new items", { seconds, requests: requests.length, ...table });
  assert.deepEqual([summary.created, summary.writes, summary.errors], [itemCount, itemCount, []]);
  assert.equal(summary.requests, requests.length);
  // Full batches of each kind, and the listing before them.
  assert.equal(requests.length, 1 + itemCount / 100);
  assert.ok(most(requests, ({ requestBytes }) => requestBytes) <= 4 * 2 ** 20);
  // A revision and the note that it is the latest, each once; nothing of an item is read.
  assert.equal(puts.filter(({ status }) => status === 200).length, 2 * itemCount);
  assert.equal(puts.length, 2 * itemCount);
  assert.equal(gets(calls).length, 0);

  const shown = [...stderr.matchAll(/(\d+)\/10000 items/g)].map(([, done]) => Number(done));
  assert.ok(shown.length >= 100, `${shown.length} times`);
  assert.equal(shown.at(-1), itemCount);
  assert.deepEqual(
    shown,
    shown.toSorted((one, other) => one - other),
  );
});

test("10,000 unchanged items cost at most 12 requests and no write", { skip }, async () => {
  const { summary, requests, table, calls, seconds } = await counted({ heapMiB });
  measured("10,000 unchanged items", { seconds, requests: requests.length, ...table });
  assert.deepEqual([summary.skipped, summary.totalProcessed], [itemCount, itemCount]);
  assert.equal(summary.requests, requests.length);
  assert.ok(requests.length <= 12, `${requests.length} requests`);
  assert.ok(requests.every(({ method }) => method === "GET"));
  assert.equal(table.writeUnits, 0);
  assert.equal(gets(calls).length, 0);
});

test("one changed item among 10,000 costs the listing and one batch", { skip }, async () => {
  writeFileSync(
    join(copy, "skills/skill-12/SKILL.md"),
    "---\nname: skill-12\ndescription: another\nmetadata: { version: '2' }\n---\n\nLess.\n",
  );
  const { summary, requests, table } = await counted();
  assert.deepEqual([summary.updated, summary.skipped, summary.writes], [1, itemCount - 1, 1]);
  assert.equal(requests.filter(({ method }) => method === "POST").length, 1);
  assert.ok(requests.length <= 13, `${requests.length} requests`);
  assert.ok(table.writeUnits <= 2, `${table.writeUnits} write units`);
});
