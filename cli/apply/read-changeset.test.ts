import assert from "node:assert/strict";
import { test } from "node:test";
import type { DecisionReply, EntryReply, PlanStatusReply } from "#lib/api/plan-replies.ts";
import { derivedDigest } from "#lib/apply/derived-digest.ts";
import { initialDigest, nextDigest } from "#lib/changeset/digest.ts";
import { contentState } from "#lib/content/content-state.ts";
import { NotFoundError, PlanledgerError } from "#lib/errors/planledger-error.ts";
import { readChangeset } from "./read-changeset.ts";

const signal = new AbortController().signal;
const baseTrees = { app: "b".repeat(64) };
const entry = (path: string, text: string): EntryReply => ({
  decisionId: "d1",
  callOrdinal: 0,
  resource: "app",
  path,
  kind: "create",
  before: null,
  after: contentState(Buffer.from(text), "100644"),
});
const decision = (id: string, ordinal: number, entries: readonly EntryReply[]): DecisionReply => ({
  ordinal,
  decisionId: id,
  dependsOn: [],
  run: 1,
  status: "landed",
  calls: [],
  entries: [...entries],
});
const landed = [decision("d1", 0, [entry("a.txt", "a")]), decision("d2", 1, [])];
const digest = landed.reduce(nextDigest, initialDigest("p1", baseTrees));
const merge = {
  kind: "merge",
  planId: "p1",
  of: digest,
  baseTrees,
  entries: [entry("a.txt", "merged")],
} as const;
const merged = derivedDigest(merge);

const status: PlanStatusReply = {
  planId: "p1",
  serverPlanId: "pln_1",
  phase: "completed",
  message: "",
  run: 1,
  changesetId: "c1",
  automationProfile: "manual",
  digest,
  counts: { total: 2, pending: 0, landed: 2, failed: 0, skipped: 0 },
  toolCalls: 1,
  entries: 1,
  noChanges: false,
  failures: [],
  failuresTruncated: false,
  cost: { costUsd: 0, units: {}, priceListDate: "" },
  costUsd: 0,
};

/** A service that answers with these decisions and these entries of the merge. */
const service = (answers: {
  decisions?: readonly DecisionReply[];
  entries?: readonly EntryReply[];
  changeset?: readonly EntryReply[];
}) => ({
  changeset: async function* () {
    yield {
      planId: "p1",
      run: 1,
      changesetId: "c1",
      state: "sealed" as const,
      digest,
      baseTrees,
      entries: [...(answers.changeset ?? [])],
    };
  },
  decisions: async function* () {
    yield* answers.decisions ?? landed;
  },
  derived: async function* (query: { readonly digest: string }) {
    if (query.digest !== merged) throw new NotFoundError({ code: "not_found", message: "none" });
    const entries = [...(answers.entries ?? merge.entries)];
    yield { ...merge, digest: merged, entryCount: entries.length, entries };
  },
  planContent: async () => Buffer.from("a"),
  content: { get: async () => Buffer.from("merged") },
});

const read = (answers: Parameters<typeof service>[0], wanted: string) =>
  readChangeset({ client: service(answers), signal }, status, wanted);
const hasCode = (code: string) => (fault: unknown) => fault instanceof PlanledgerError && fault.code === code;

test("entries that a decision's reply leaves out are taken from the changeset", async () => {
  const cut = landed.map((one) => ({ ...one, entries: [], entriesLeftOut: one.entries.length }));
  const sealed = await read({ decisions: cut, changeset: [entry("a.txt", "a")] }, digest);
  assert.deepEqual(
    sealed.changes.map(({ path }) => path),
    ["a.txt"],
  );
});

test("a changeset is what hashes to its digest, whatever the service sends under it", async () => {
  const sealed = await read({}, digest);
  assert.deepEqual([sealed.kind, sealed.changes.map(({ path }) => path)], ["sealed", ["a.txt"]]);
  assert.equal((await read({}, merged)).kind, "merge");
  const lies: readonly (readonly DecisionReply[])[] = [
    [decision("d1", 0, [entry("a.txt", "other")]), decision("d2", 1, [])],
    [decision("d1", 0, [entry("../a.txt", "a")]), decision("d2", 1, [])],
    landed.slice(0, 1),
    [decision("d2", 0, []), decision("d1", 1, [entry("a.txt", "a")])],
  ];
  for (const decisions of lies) {
    await assert.rejects(read({ decisions }, digest), hasCode("content_mismatch"));
  }
  await assert.rejects(read({ entries: [entry("a.txt", "other")] }, merged), hasCode("content_mismatch"));
});

test("a path that leads out of the directory, or into the folder of its journal, is refused under any digest", async () => {
  for (const path of ["../a.txt", ".git/config", ".planledger/apply/journal.json"]) {
    const decisions = [decision("d1", 0, [entry(path, "a")])];
    const wanted = decisions.reduce(nextDigest, initialDigest("p1", baseTrees));
    const client = service({ decisions });
    const refused = readChangeset({ client, signal }, { ...status, digest: wanted }, wanted);
    await assert.rejects(refused, hasCode("path_refused"), path);
  }
});

test("a digest that is none of the plan's, or of a run before its latest, is refused by its own name", async () => {
  await assert.rejects(read({}, "f".repeat(64)), hasCode("digest_mismatch"));
  const resumed = { ...status, run: 2, digest: "e".repeat(64) };
  await assert.rejects(
    readChangeset({ client: service({}), signal }, resumed, merged),
    hasCode("superseded"),
  );
  const { digest: _, ...running } = status;
  await assert.rejects(
    readChangeset({ client: service({}), signal }, running, digest),
    hasCode("not_sealed"),
  );
});
