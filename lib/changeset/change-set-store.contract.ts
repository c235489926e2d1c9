import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, test } from "node:test";
import type { FileMode, FileState } from "../tree/file-state.ts";
import type { ChangeEntry } from "./change-entry.ts";
import type { ChangeSetStore } from "./change-set-store.ts";

const digest = "d".repeat(64);
const otherDigest = "e".repeat(64);

function state(bytes: Uint8Array, mode: FileMode = "100644"): FileState {
  return {
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.byteLength,
    mode,
    gitBlobId: createHash("sha1").update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex"),
  };
}

function created(decisionId: string, path: string, bytes: Uint8Array, callOrdinal = 0): ChangeEntry {
  return {
    decisionId,
    callOrdinal,
    resource: "app",
    path,
    kind: "create",
    before: null,
    after: state(bytes),
  };
}

function contents(...all: readonly Uint8Array[]): ReadonlyMap<string, Uint8Array> {
  return new Map(all.map((bytes) => [state(bytes).sha256, bytes]));
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/**
 * The behaviour of every `ChangeSetStore`. `open` is called once and must give a working store; the suite uses changeset
 * ids of its own that start with `prefix`, so that it may run against a table that holds other things.
 */
export function changeSetStoreContract(
  name: string,
  options: { readonly open: () => Promise<ChangeSetStore>; readonly prefix?: string },
): void {
  let store: ChangeSetStore;
  let count = 0;
  const fresh = async (): Promise<string> => {
    count += 1;
    const changesetId = `${options.prefix ?? "contract"}-${count}`;
    await store.start({ changesetId, planId: "plan-1" });
    return changesetId;
  };

  before(async () => {
    store = await options.open();
  });

  test(`${name}: a changeset that was just started is open, empty and knows its plan`, async () => {
    const changesetId = await fresh();
    assert.deepEqual(await store.get(changesetId), {
      changesetId,
      planId: "plan-1",
      entries: [],
      state: "open",
    });
  });

  test(`${name}: an unknown changeset is undefined, its content too (R14)`, async () => {
    assert.equal(await store.get("contract-unknown"), undefined);
    assert.equal(await store.content("contract-unknown", "0".repeat(64)), undefined);
  });

  test(`${name}: starting again changes nothing; for another plan it is a conflict`, async () => {
    const changesetId = await fresh();
    const bytes = bytesOf("kept\n");
    await store.append(changesetId, {
      decisionId: "d1",
      position: 0,
      entries: [created("d1", "a.txt", bytes)],
      contents: contents(bytes),
    });
    await store.start({ changesetId, planId: "plan-1" });
    assert.equal((await store.get(changesetId))?.entries.length, 1);
    await assert.rejects(store.start({ changesetId, planId: "plan-2" }), { code: "store_conflict" });
    assert.equal((await store.get(changesetId))?.planId, "plan-1");
  });

  test(`${name}: entries come back whole, in the order of their decisions and as recorded within one (R12)`, async () => {
    const changesetId = await fresh();
    const [one, two] = [bytesOf("one\n"), bytesOf("two\n")];
    const first = [created("d1", "z.txt", one), created("d1", "a.txt", two, 1)];
    const second: readonly ChangeEntry[] = [
      {
        decisionId: "d2",
        callOrdinal: 0,
        resource: "docs",
        path: "dir with spaces/ü b/\u{1f4d2}.txt",
        kind: "modify",
        before: state(one),
        after: state(two, "100755"),
      },
      {
        decisionId: "d2",
        callOrdinal: 1,
        resource: "app",
        path: "z.txt",
        kind: "delete",
        before: state(one),
        after: null,
      },
    ];
    await store.append(changesetId, {
      decisionId: "d1",
      position: 0,
      entries: first,
      contents: contents(one, two),
    });
    await store.append(changesetId, {
      decisionId: "d2",
      position: 1,
      entries: second,
      contents: contents(one, two),
    });
    assert.deepEqual((await store.get(changesetId))?.entries, [...first, ...second]);
  });

  test(`${name}: positions are numbers, so the eleventh decision comes after the third`, async () => {
    const changesetId = await fresh();
    const bytes = bytesOf("x");
    for (const position of [0, 1, 2, 10, 11]) {
      const decisionId = `d${position}`;
      await store.append(changesetId, {
        decisionId,
        position,
        entries: [created(decisionId, `${position}.txt`, bytes)],
        contents: contents(bytes),
      });
    }
    const entries = (await store.get(changesetId))?.entries ?? [];
    assert.deepEqual(
      entries.map((entry) => entry.decisionId),
      ["d0", "d1", "d2", "d10", "d11"],
    );
  });

  test(`${name}: content is kept byte for byte, also when the caller's array changes later (F15, F17, F22)`, async () => {
    const changesetId = await fresh();
    const samples = [
      new Uint8Array(0),
      bytesOf("\uFEFFwith BOM\r\nmixed\nno end"),
      Uint8Array.from([0, 255, 0xc3, 0x28, 0xed, 0xa0, 0x80, 10]),
    ];
    const entries = samples.map((bytes, index) => created("d1", `${index}.bin`, bytes));
    const given = samples.map((bytes) => bytes.slice());
    await store.append(changesetId, {
      decisionId: "d1",
      position: 0,
      entries,
      contents: new Map(given.map((bytes) => [state(bytes).sha256, bytes])),
    });
    for (const bytes of given) {
      bytes.fill(7);
    }
    for (const bytes of samples) {
      const back = await store.content(changesetId, state(bytes).sha256);
      assert.deepEqual(back && Buffer.from(back), Buffer.from(bytes));
    }
    assert.equal(await store.content(changesetId, "0".repeat(64)), undefined);
  });

  test(`${name}: the same decision recorded again changes nothing (F1)`, async () => {
    const changesetId = await fresh();
    const bytes = bytesOf("once\n");
    const changes = () => ({
      decisionId: "d1",
      position: 0,
      entries: [created("d1", "a.txt", bytes)],
      contents: contents(bytes),
    });
    await store.append(changesetId, changes());
    await store.append(changesetId, changes());
    assert.deepEqual((await store.get(changesetId))?.entries, changes().entries);
  });

  test(`${name}: of two different recordings at one position one stands and the other is a conflict`, async () => {
    const changesetId = await fresh();
    const [one, two] = [bytesOf("one"), bytesOf("two")];
    const attempts = [one, two].map((bytes, index) => ({
      decisionId: `d${index}`,
      position: 0,
      entries: [created(`d${index}`, "a.txt", bytes)],
      contents: contents(bytes),
    }));
    const outcomes = await Promise.allSettled(attempts.map((changes) => store.append(changesetId, changes)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    assert.equal(refused.length, 1);
    assert.equal(refused[0].code, "store_conflict");
    const standing = attempts.filter((_, index) => outcomes[index]?.status === "fulfilled");
    assert.deepEqual(
      (await store.get(changesetId))?.entries,
      standing.flatMap((changes) => changes.entries),
    );
  });

  test(`${name}: a decision without changes takes its position`, async () => {
    const changesetId = await fresh();
    await store.append(changesetId, { decisionId: "d1", position: 0, entries: [], contents: new Map() });
    const bytes = bytesOf("x");
    await assert.rejects(
      store.append(changesetId, {
        decisionId: "d2",
        position: 0,
        entries: [created("d2", "a.txt", bytes)],
        contents: contents(bytes),
      }),
      { code: "store_conflict" },
    );
    assert.deepEqual((await store.get(changesetId))?.entries, []);
  });

  test(`${name}: a sealed changeset names its digest, refuses more, and stays readable (F23)`, async () => {
    const changesetId = await fresh();
    const bytes = bytesOf("sealed\n");
    const entries = [created("d1", "a.txt", bytes)];
    await store.append(changesetId, { decisionId: "d1", position: 0, entries, contents: contents(bytes) });
    await store.seal(changesetId, digest);
    await store.seal(changesetId, digest);
    await assert.rejects(store.seal(changesetId, otherDigest), { code: "changeset_sealed" });
    await assert.rejects(
      store.append(changesetId, {
        decisionId: "d2",
        position: 1,
        entries: [created("d2", "b.txt", bytes)],
        contents: contents(bytes),
      }),
      { code: "changeset_sealed" },
    );
    assert.deepEqual(await store.get(changesetId), {
      changesetId,
      planId: "plan-1",
      entries,
      state: "sealed",
      digest,
    });
    assert.deepEqual(
      Buffer.from((await store.content(changesetId, state(bytes).sha256)) ?? []),
      Buffer.from(bytes),
    );
  });

  test(`${name}: changesets do not see each other's entries`, async () => {
    const [first, second] = [await fresh(), await fresh()];
    const bytes = bytesOf("mine");
    await store.append(first, {
      decisionId: "d1",
      position: 0,
      entries: [created("d1", "a.txt", bytes)],
      contents: contents(bytes),
    });
    assert.deepEqual((await store.get(second))?.entries, []);
  });

  test(`${name}: recording into or sealing a changeset that was never started is refused`, async () => {
    await assert.rejects(
      store.append("contract-never", { decisionId: "d1", position: 0, entries: [], contents: new Map() }),
      { code: "not_found" },
    );
    await assert.rejects(store.seal("contract-never", digest), { code: "not_found" });
    assert.equal(await store.get("contract-never"), undefined);
  });
}
