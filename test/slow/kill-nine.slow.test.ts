import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Scratch, scratch } from "#cli/files/scratch.testkit.ts";
import { planledger } from "#cli/planledger.testkit.ts";
import type { EntryReply, EventReply, PlanStatusReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { contentSha256 } from "#lib/content/content-state.ts";
import { verifyLedger } from "#lib/ledger/verify-ledger.ts";
import { documentSha256 } from "#lib/plan/document-sha256.ts";
import { parsePlanDocument } from "#lib/plan/parse-plan-document.ts";
import { ledgerGenesis, ledgerHeadOf } from "#lib/run/ledger-chain.ts";
import { type DevProcess, startDev } from "./dev-process.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { seeded, sourceText } from "./source-text.testkit.ts";

const decisions = 200;
const planId = "two-hundred";
const seed = Number(process.env.SEED ?? 1);

let work: string;
let project: Scratch;
let undisturbed: PlanStatusReply;

/**
 * 200 decisions that take a while without waiting for anything: each searches the whole project many times and then
 * changes it, one file that all share included, so that order and exactness show in the digest.
 */
function slowPlan() {
  const call = (tool: string, input: object) => ({ tool, input });
  const searches = Array.from({ length: 2 }, (_, index) =>
    call("search_files", { path: ".", pattern: `**/*${index}*/**/never-${index}*` }),
  );
  return {
    name: "two hundred decisions",
    decisions: Array.from({ length: decisions }, (_, index) => ({
      id: `d${index}`,
      ...(index % 3 === 2 ? { dependsOn: [`d${index - 1}`] } : {}),
      toolCalls: [
        ...searches,
        call("edit_file", {
          path: "shared/log.txt",
          edits: [{ oldText: `mark ${index}\n`, newText: `line ${index}\nmark ${index + 1}\n` }],
        }),
        call("write_file", { path: `new/${index % 7}/f${index}.ts`, content: sourceText(index, 2500) }),
        ...(index % 5 === 4
          ? [call("delete_file", { path: `new/${(index - 3) % 7}/f${index - 3}.ts` })]
          : []),
        ...(index % 11 === 10
          ? [call("write_file", { path: `bin/b${index}`, content: binary(index), encoding: "base64" })]
          : []),
        ...(index % 20 === 19
          ? [call("set_file_mode", { path: `src/${Math.floor(index / 20)}/f${index}.ts`, mode: "100755" })]
          : []),
      ],
    })),
  };
}

const binary = (index: number): string => {
  const random = seeded(index);
  return Buffer.from(Array.from({ length: 700 }, () => Math.floor(random() * 256))).toString("base64");
};

const planFile = () => join(work, "plan.json");

before(async () => {
  work = await mkdtemp(join(tmpdir(), "kill-nine-"));
  project = await scratch();
  await project.put({
    "shared/log.txt": "head\nmark 0\n",
    ...Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `src/${Math.floor(index / 20)}/f${index}.ts`,
        `export const n${index} = ${index};\n`,
      ]),
    ),
  });
  project.git("init", "-q");
  project.git("add", ".");
  project.git("commit", "-qm", "base");
  await writeFile(planFile(), JSON.stringify(slowPlan()));

  await using dev = await startDev({ cwd: work, port: 0, dataDir: join(work, "undisturbed") });
  const startedAt = performance.now();
  await execute(dev);
  undisturbed = await ended(dev.client);
  assert.equal(undisturbed.phase, "completed", JSON.stringify(undisturbed.failures[0]));
  measured("undisturbed run of 200 decisions", { seconds: (performance.now() - startedAt) / 1000, seed });
});
after(async () => {
  await project?.[Symbol.asyncDispose]();
  await rm(work, { recursive: true, force: true });
});

async function execute(dev: DevProcess): Promise<void> {
  const ran = await planledger(
    ["plan", "execute", planFile(), "--project", project.path, "--id", planId, "--json"],
    { cwd: work, env: { PLANLEDGER_URL: dev.url, PLANLEDGER_TOKEN: dev.token } },
  );
  assert.equal(ran.exitCode, 0, ran.stderr);
}

async function statusWhen(
  client: PlanledgerClient,
  holds: (status: PlanStatusReply) => boolean,
): Promise<PlanStatusReply> {
  for (;;) {
    const status = await client.planStatus({ planId });
    if (holds(status)) return status;
    await delay(15);
  }
}

const ended = (client: PlanledgerClient) =>
  statusWhen(client, ({ phase }) => ["completed", "failed", "cancelled"].includes(phase));
const finalOf = ({ counts }: PlanStatusReply) => counts.total - counts.pending;

async function eventsOf(client: PlanledgerClient): Promise<readonly EventReply[]> {
  const events: EventReply[] = [];
  for await (const event of client.events({ planId })) events.push(event);
  return events;
}

/** Ten kills in all, on four data directories: the run of the first is killed once, that of the last four times. */
for (const kills of [1, 2, 3, 4]) {
  test(`a plan of 200 decisions whose service is killed ${kills} times ends as if nobody had`, async () => {
    const random = seeded(seed + kills);
    const dataDir = join(work, `killed-${kills}`);
    let dev = await startDev({ cwd: work, port: 0, dataDir });
    const { port } = dev;
    try {
      await execute(dev);
      let finalBefore = 0;
      let seen: readonly EventReply[] = [];
      const killedAt: string[] = [];
      const restartMs: number[] = [];
      for (let kill = 0; kill < kills; kill++) {
        // Behind the last kill, and with decisions left for those to come and for a last one that ends it all.
        const share = (decisions * 0.65) / kills;
        const least = Math.max(finalBefore + 1, Math.floor(share * (kill + random())));
        const status = await statusWhen(dev.client, (one) => finalOf(one) >= least);
        const killing = dev.kill();
        const final = finalOf(status);
        assert.ok(0 < final && final < decisions, `${final} decisions were final before kill ${kill + 1}`);
        assert.ok(final > finalBefore, `${final} after ${finalBefore}`);
        assert.equal(status.phase, "running");
        await killing;
        killedAt.push(`${final} (of ${least})`);
        const restartedAt = performance.now();
        dev = await startDev({ cwd: work, port, dataDir });
        restartMs.push(Math.round(performance.now() - restartedAt));
        assert.equal(dev.port, port);
        const standing = await dev.client.planStatus({ planId });
        assert.ok(finalOf(standing) >= final, "what was final before the kill is final after it");
        const events = await eventsOf(dev.client);
        assert.deepEqual(events.slice(0, seen.length), seen, "events that were read once never change");
        seen = events;
        finalBefore = final;
      }
      const status = await ended(dev.client);
      measured(`killed ${kills} times`, {
        "at final": killedAt.join(" "),
        "up again after ms": restartMs.join(" "),
      });
      assert.deepEqual([status.phase, status.counts], ["completed", undisturbed.counts]);
      assert.equal(status.digest, undisturbed.digest);
      await checkRecords({ dev, dataDir, seen });
      await checkContent(dev, kills - 1);
    } finally {
      await dev.kill();
    }
  });
}

/** Events 1 to n, each decision once, the chain recomputed from the document, the last head signed. */
async function checkRecords(of: {
  readonly dev: DevProcess;
  readonly dataDir: string;
  readonly seen: readonly EventReply[];
}): Promise<void> {
  const { client } = of.dev;
  const events = await eventsOf(client);
  assert.deepEqual(events.slice(0, of.seen.length), of.seen);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    Array.from({ length: decisions + 2 }, (_, index) => index + 1),
  );
  const ids = Array.from({ length: decisions }, (_, index) => `d${index}`);
  assert.deepEqual(
    events.flatMap(({ type, decisionId }) => (type === "runtime_execute_step" ? [decisionId] : [])),
    ids,
  );
  const read: string[] = [];
  for await (const { decisionId, status } of client.decisions({ planId })) {
    assert.equal(status, "landed");
    read.push(decisionId);
  }
  assert.deepEqual(read, ids);

  const { tree } = (await projectOf(client)) ?? {};
  const document = parsePlanDocument({
    ...slowPlan(),
    projectResources: { workspace: { tree, access: "write" } },
  });
  let head = ledgerGenesis(planId, documentSha256(document));
  for (const { at: _, ledgerHead, ...event } of events) {
    head = ledgerHeadOf(head, event);
    assert.equal(ledgerHead, head, `event ${event.seq} does not continue the chain`);
  }
  const file = join(of.dataDir, "ledger.jsonl");
  const env = { PLANLEDGER_URL: of.dev.url, PLANLEDGER_TOKEN: of.dev.token };
  const written = await planledger(["plan", "artifacts", planId, "--ledger", file], { cwd: work, env });
  assert.equal(written.exitCode, 0, written.stderr);
  const publicKey = await readFile(join(of.dataDir, "signing-key.pub.pem"), "utf8");
  const verified = await verifyLedger({ ledger: createReadStream(file), publicKey, expectedHead: head });
  assert.ok(verified.ok, JSON.stringify(verified));
  assert.equal(verified.records, events.length);
  assert.equal(verified.head.digest, undisturbed.digest);
}

async function projectOf(client: PlanledgerClient): Promise<{ readonly tree: string | undefined }> {
  for await (const { baseTrees } of client.changeset({ planId }))
    return { tree: Object.values(baseTrees)[0] };
  throw new Error("no changeset");
}

/** The diff, applied by git to the base, gives the tree that the service names; every entry's content is readable. */
async function checkContent(dev: DevProcess, quarter: number): Promise<void> {
  const env = { PLANLEDGER_URL: dev.url, PLANLEDGER_TOKEN: dev.token };
  const diff = await planledger(["plan", "diff", planId], { cwd: work, env });
  assert.equal(diff.exitCode, 0, diff.stderr);
  await using copy = await scratch();
  await cp(project.path, copy.path, { recursive: true });
  const diffFile = join(work, "plan.diff");
  await writeFile(diffFile, diff.bytes);
  // The copies have other times than the index knows.
  copy.git("update-index", "--refresh");
  copy.git("apply", "--index", "--whitespace=nowarn", diffFile);
  const treeId = copy.git("write-tree").trim();

  const entries: EntryReply[] = [];
  let named: string | undefined;
  for await (const page of dev.client.changeset({ planId })) {
    named ??= page.resultGitTreeIds?.workspace;
    entries.push(...page.entries);
  }
  assert.equal(treeId, named);
  const headers = { authorization: `Bearer ${dev.token}` };
  let read = 0;
  for (const [index, { decisionId, before: old, after: now }] of entries.entries()) {
    // Every fourth, another quarter each time.
    if (index % 4 !== quarter) continue;
    const sha256 = (now ?? old)?.sha256 ?? "";
    const path = `/v1/plans/${planId}/content/${sha256}?decision=${decisionId}`;
    const answer = await fetch(dev.url + path, { headers });
    assert.equal(answer.status, 200, `${path}: ${answer.status}`);
    assert.equal(contentSha256(await answer.bytes()), sha256);
    read += 1;
  }
  assert.ok(read > decisions / 2);
  await using out = await scratch();
  const artifacts = await planledger(["plan", "artifacts", planId, "--out", out.path], { cwd: work, env });
  assert.equal(artifacts.exitCode, 0, artifacts.stderr);
  assert.equal(
    await readFile(join(copy.path, "shared/log.txt"), "utf8"),
    `head\n${Array.from({ length: decisions }, (_, index) => `line ${index}\n`).join("")}mark ${decisions}\n`,
  );
}
