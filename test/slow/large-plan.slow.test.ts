import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as z from "zod/mini";
import { uploadTree } from "#lib/client/upload-tree.ts";
import { type AwsWire, startAwsWire } from "./aws-wire.testkit.ts";
import { type DevProcess, startDev } from "./dev-process.testkit.ts";
import { watchFrontiers } from "./ended-plan.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { sourceText } from "./source-text.testkit.ts";
import {
  billedRequests,
  callsBetween,
  perDecision,
  type UsedUnits,
  unitsOf,
  writeUnitsOfFullStep,
} from "./wire-units.testkit.ts";

const directory = mkdtempSync(join(tmpdir(), "large-plan-"));
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

/** A file is some blocks of source text; a decision replaces one of them by another of the same size. */
function editing(options: {
  readonly decisions: number;
  readonly files: number;
  readonly blockBytes: number;
  readonly blocksPerFile: number;
}) {
  const { decisions, files, blockBytes, blocksPerFile } = options;
  const slots = files * blocksPerFile;
  const block = (slot: number, version: number) => sourceText(slot + version * slots, blockBytes);
  const slotOf = (file: number, which: number) => file * blocksPerFile + which;
  const pathOf = (file: number) => `src/room-${file % 25}/module-${file}.ts`;
  const project = Array.from({ length: files }, (_, file) => ({
    path: pathOf(file),
    mode: "100644" as const,
    read: async () =>
      Buffer.from(
        Array.from({ length: blocksPerFile }, (_, which) => block(slotOf(file, which), 0)).join(""),
      ),
  }));
  const edits = Array.from({ length: decisions }, (_, index) => {
    const file = index % files;
    const round = Math.floor(index / files);
    const slot = slotOf(file, round % blocksPerFile);
    const version = Math.floor(round / blocksPerFile);
    const edit = { oldText: block(slot, version), newText: block(slot, version + 1) };
    const toolCalls = [{ tool: "edit_file", input: { path: pathOf(file), edits: [edit] } }];
    return { id: `d${index}`, toolCalls };
  });
  return { project, edits };
}

async function run(planId: string, plan: ReturnType<typeof editing>) {
  const { tree } = await uploadTree({ client: dev.client, files: plan.project });
  const document = { projectResources: { app: { tree } }, decisions: plan.edits };
  const from = wire.calls.length;
  const startedAt = performance.now();
  await dev.client.executePlan({ planId, plan: document });
  const frontier = await frontiers.ended({ planId });
  const seconds = (performance.now() - startedAt) / 1000;
  return { calls: wire.calls.slice(from), frontier, seconds, documentBytes: JSON.stringify(document).length };
}

const report = (what: string, used: UsedUnits) =>
  measured(what, { ...used, billedRequests: billedRequests(used) });

test("F8, F24: a plan of 5,000 decisions with 1 KB edits completes, and its last 1,000 cost what its first did", async () => {
  const plan = editing({ decisions: 5000, files: 500, blockBytes: 1024, blocksPerFile: 2 });
  const { calls, frontier, seconds, documentBytes } = await run("five-thousand", plan);
  assert.ok(documentBytes > 1024 * 1024, "it must go up by reference");
  assert.equal(frontier.state.phase, "completed");
  assert.deepEqual(frontier.counts, { landed: 5000, failed: 0, skipped: 0, toolCalls: 5000, entries: 5000 });

  measured("5,000 decisions", { seconds, "decisions/s": 5000 / seconds, documentBytes });
  report("per decision, whole plan", perDecision(unitsOf(calls), 5000));
  const first = callsBetween(calls, { from: 0, to: 1000 });
  const last = callsBetween(calls, { from: 3999, to: 4999 });
  assert.ok(first.decisions > 900 && last.decisions > 900, `${first.decisions}, ${last.decisions}`);
  const [firstUsed, lastUsed] = [first, last].map(({ calls: of, decisions }) =>
    perDecision(unitsOf(of), decisions),
  );
  assert.ok(firstUsed && lastUsed);
  report(`per decision, first ${first.decisions} (${first.cutSteps} steps cut by the clock)`, firstUsed);
  report(`per decision, last ${last.decisions} (${last.cutSteps} steps cut by the clock)`, lastUsed);
  const steps = { first: writeUnitsOfFullStep(first), last: writeUnitsOfFullStep(last) };
  measured("write units of a full step", steps);
  assert.ok(first.fullSteps > 5 && last.fullSteps > 5, "this machine is too busy to fill a step in 250 ms");
  assert.ok(steps.last <= 1.1 * steps.first, `${steps.last} against ${steps.first} a step`);
  // Steps that a busy machine cut short cost more a decision, wherever they stand.
  if (first.cutSteps + last.cutSteps === 0) {
    const total = ({ writeUnits, readUnits, queueRequests, invocations }: UsedUnits) =>
      writeUnits + readUnits + queueRequests + invocations;
    assert.ok(total(lastUsed) <= 1.1 * total(firstUsed), `${total(lastUsed)} against ${total(firstUsed)}`);
    assert.ok(lastUsed.tableRequests <= 1.1 * firstUsed.tableRequests);
  }
  const { objectGets, objectPuts } = lastUsed;
  assert.ok(objectGets <= firstUsed.objectGets + 0.01 && objectPuts <= 0.05, `${objectGets}, ${objectPuts}`);
});

interface PageCost {
  readonly items: number;
  readonly tableRequests: number;
  readonly readUnits: number;
  readonly objectGets: number;
}

/** Reads a listing page by page to its end, and counts for each page what it took. */
async function pagedThrough<Item>(
  path: string,
  read: (page: unknown) => { readonly items: readonly Item[]; readonly cursor: string | undefined },
): Promise<{ readonly items: readonly Item[]; readonly pages: readonly PageCost[] }> {
  const items: Item[] = [];
  const pages: PageCost[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const from = wire.calls.length;
    const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`${dev.url}${path}${query}`, {
      headers: { authorization: `Bearer ${dev.token}` },
    });
    assert.equal(answer.status, 200);
    const page = read(await answer.json());
    const { tableRequests, readUnits, objectGets } = unitsOf(
      wire.calls.slice(from).filter(({ service }) => service !== "sqs"),
    );
    items.push(...page.items);
    pages.push({ items: page.items.length, tableRequests, readUnits, objectGets });
    cursor = page.cursor;
  }
  return { items, pages };
}

const most = (pages: readonly PageCost[], of: (page: PageCost) => number) => Math.max(...pages.map(of));
const costOf = (pages: readonly PageCost[]) => ({
  pages: pages.length,
  "most table requests": most(pages, ({ tableRequests }) => tableRequests),
  "most read units": most(pages, ({ readUnits }) => readUnits),
  "most object reads": most(pages, ({ objectGets }) => objectGets),
});

test("the decisions of a plan of 5,000 are paged through completely, every page at a bounded cost", async () => {
  const decisionsPage = z.object({
    decisions: z.array(z.object({ decisionId: z.string(), ordinal: z.number(), status: z.string() })),
    cursor: z.optional(z.string()),
  });
  const { items, pages } = await pagedThrough("/v1/plans/five-thousand/decisions?limit=100", (page) => {
    const { decisions, cursor } = decisionsPage.parse(page);
    return { items: decisions, cursor };
  });
  assert.deepEqual(
    items.map(({ decisionId, ordinal, status }) => `${decisionId} ${ordinal} ${status}`),
    Array.from({ length: 5000 }, (_, index) => `d${index} ${index} landed`),
  );
  measured("decisions, pages of 100", costOf(pages));
  // Frontier, plan and run, then the four or five steps that hold a hundred decisions, two queries at a time.
  assert.equal(pages.length, 50);
  assert.ok(most(pages, ({ tableRequests }) => tableRequests) <= 20);
  assert.ok(most(pages, ({ objectGets }) => objectGets) <= 10);
});

test("the events of a plan of 5,000 are paged through completely, every page at a bounded cost", async () => {
  const eventsPage = z.object({
    events: z.array(z.object({ seq: z.number(), type: z.string(), decisionId: z.optional(z.string()) })),
    cursor: z.string(),
    ended: z.boolean(),
  });
  const { items, pages } = await pagedThrough("/v1/plans/five-thousand/events?limit=500", (page) => {
    const { events, cursor, ended } = eventsPage.parse(page);
    return { items: events, cursor: ended ? undefined : cursor };
  });
  assert.deepEqual(
    items.map(({ seq }) => seq),
    Array.from({ length: 5002 }, (_, index) => index + 1),
  );
  assert.deepEqual(
    items.flatMap(({ type, decisionId }) => (type === "runtime_execute_step" ? [decisionId] : [])),
    Array.from({ length: 5000 }, (_, index) => `d${index}`),
  );
  assert.deepEqual(
    [items[0]?.type, items.at(-1)?.type],
    ["runtime_execute_started", "runtime_execute_complete"],
  );
  measured("events, pages of 500", costOf(pages));
  assert.equal(pages.length, 11);
  assert.ok(most(pages, ({ tableRequests }) => tableRequests) <= 40);
  assert.equal(
    most(pages, ({ objectGets }) => objectGets),
    0,
  );
});

test("a decision with a 2 KB edit stays within its budget of write units and billed requests", async () => {
  for (const blocksPerFile of [1, 2, 4]) {
    const plan = editing({ decisions: 1000, files: 100, blockBytes: 2048, blocksPerFile });
    const block = plan.edits[0]?.toolCalls[0]?.input.edits[0]?.newText ?? "";
    const ratio = Buffer.byteLength(block) / gzipSync(block).length;
    assert.ok(Buffer.byteLength(block) === 2048 && ratio <= 3, `gzip makes the text ${ratio} times smaller`);
    const { calls, frontier, seconds } = await run(`budget-${blocksPerFile}`, plan);
    assert.equal(frontier.counts.landed, 1000);
    const used = perDecision(unitsOf(calls), 1000);
    measured(`1,000 decisions on files of ${2 * blocksPerFile} KB`, {
      seconds,
      "decisions/s": 1000 / seconds,
      gzip: ratio,
    });
    report("per decision, submission included", used);
    assert.ok(billedRequests(used) <= 0.5, `${billedRequests(used)} billed requests a decision`);
    assert.ok(used.writeUnits <= 1.3, `${used.writeUnits} write units a decision`);
  }
});
