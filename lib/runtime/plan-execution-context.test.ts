import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import type { DecisionChanges } from "../changeset/change-set-store.ts";
import { InMemoryChangeSetStore } from "../changeset/in-memory-change-set-store.ts";
import { contentState } from "../content/content-state.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { PlanExecutionContext } from "./plan-execution-context.ts";

const digest = "d".repeat(64);
const bytes = Buffer.from("content\n");

function entry(path: string, decisionId = "d1"): ChangeEntry {
  const after = contentState(bytes, "100644");
  return { decisionId, callOrdinal: 0, resource: "app", path, kind: "create", before: null, after };
}

/** Fails the first append, before or after it took effect. */
class UnreliableStore extends InMemoryChangeSetStore {
  readonly #fails: "before" | "after";
  #failed = false;

  constructor(fails: "before" | "after") {
    super();
    this.#fails = fails;
  }

  override async append(changesetId: string, changes: DecisionChanges): Promise<void> {
    const failsNow = !this.#failed;
    this.#failed = true;
    if (failsNow && this.#fails === "before") {
      throw new Error("the store is down");
    }
    await super.append(changesetId, changes);
    if (failsNow) {
      throw new Error("the store is down");
    }
  }
}

for (const fails of ["before", "after"] as const) {
  test(`an append that fails ${fails} it took effect loses and doubles nothing: the next flush brings it`, async () => {
    const changesetStore = new UnreliableStore(fails);
    const context = new PlanExecutionContext({ planId: "p", changesetStore });
    const changesetId = await context.startChangeset();
    await context.recordChange(entry("a"));
    await assert.rejects(context.flush(), /the store is down/);
    await context.recordChange(entry("b", "d2"));
    await context.sealChangeset(changesetId, digest);
    const sealed = await changesetStore.get(changesetId);
    assert.deepEqual(
      sealed?.entries.map(({ path }) => path),
      ["a", "b"],
    );
    assert.equal(sealed?.state, "sealed");
  });
}

test("a seal that fails leaves the changeset active, with everything that was recorded", async () => {
  const context = new PlanExecutionContext({ planId: "p", changesetStore: new UnreliableStore("before") });
  const changesetId = await context.startChangeset();
  await context.recordChange(entry("a"));
  await assert.rejects(context.sealChangeset(changesetId, digest), /the store is down/);
  assert.deepEqual(context.activeChangesetIds, [changesetId]);
  await context.recordChange(entry("b", "d2"));
  await context.sealChangeset(changesetId, digest);
  assert.deepEqual(context.activeChangesetIds, []);
  assert.equal((await context.getChangeset(changesetId))?.entries.length, 2);
});

test("entries reach the store as whole decisions, not one by one", async () => {
  const changesetStore = new InMemoryChangeSetStore();
  const context = new PlanExecutionContext({ planId: "p", changesetStore });
  const changesetId = await context.startChangeset();
  await context.recordChange(entry("a"));
  await context.recordChange(entry("b"));
  assert.equal((await changesetStore.get(changesetId))?.entries.length, 0);
  assert.equal((await context.getChangeset(changesetId))?.entries.length, 2);
  await context.recordChange(entry("c", "d2"));
  await context.flush();
  assert.equal((await changesetStore.get(changesetId))?.entries.length, 3);
});

test("content that was recorded can be read before and after it is written, and cannot be edited from outside (F22)", async () => {
  const context = new PlanExecutionContext({ planId: "p" });
  const changesetId = await context.startChangeset();
  const given = Uint8Array.from(bytes);
  const { sha256 } = contentState(bytes, "100644");
  await context.recordChange(entry("a"), { contents: new Map([[sha256, given]]) });
  given.fill(0);
  for (const when of ["buffered", "written"]) {
    const read = await context.changesetContent(changesetId, sha256);
    assert.deepEqual(read && Buffer.from(read), bytes, when);
    read?.fill(0);
    await context.flush();
  }
});

test("a changeset of another plan in the same store is not this context's", async () => {
  const changesetStore = new InMemoryChangeSetStore();
  const other = new PlanExecutionContext({ planId: "other", changesetStore });
  const changesetId = await other.startChangeset();
  const context = new PlanExecutionContext({ planId: "p", changesetStore });
  assert.equal(await context.getChangeset(changesetId), undefined);
});

test("a malformed entry is refused by the name of its field, and leaves no trace", async () => {
  const context = new PlanExecutionContext({ planId: "p" });
  const changesetId = await context.startChangeset();
  const cases: readonly [string, ChangeEntry][] = [
    ["entry.path", { ...entry("a"), path: "" }],
    ["entry.callOrdinal", { ...entry("a"), callOrdinal: -1 }],
    ["entry.after.sha256", { ...entry("a"), after: { ...contentState(bytes, "100644"), sha256: "abc" } }],
    ["entry.after", { ...entry("a"), before: null, after: null }],
  ];
  for (const [field, malformed] of cases) {
    await assert.rejects(
      context.recordChange(malformed),
      (error) => error instanceof ValidationError && error.field === field,
      field,
    );
  }
  assert.deepEqual((await context.getChangeset(changesetId))?.entries, []);
});

test("recording into a changeset that was sealed, abandoned or never started says which are active (R11)", async () => {
  const context = new PlanExecutionContext({ planId: "p" });
  const sealed = await context.startChangeset();
  await context.sealChangeset(sealed, digest);
  const abandoned = await context.startChangeset();
  context.abandonChangeset(abandoned);
  const active = await context.startChangeset();
  for (const changesetId of [sealed, abandoned, "01ARZ3NDEKTSV4RRFFQ69G5FAV"]) {
    await assert.rejects(context.recordChange(entry("a"), { changesetId }), {
      code: "no_active_changeset",
      message: new RegExp(active),
    });
  }
  assert.equal((await context.getChangeset(abandoned))?.state, "open");
});
