import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import { changeKind } from "../changeset/change-kind.ts";
import { contentState } from "../content/content-state.ts";
import type { FileState } from "../tree/file-state.ts";
import { netEntries } from "./net-entries.ts";

const state = (text: string): FileState => contentState(Buffer.from(text), "100644");

function entry(by: string, path: string, states: readonly [FileState | null, FileState | null]): ChangeEntry {
  const [before, after] = states;
  const kind = changeKind(before, after);
  assert.ok(kind);
  return { decisionId: by, callOrdinal: 0, resource: "app", path, kind, before, after };
}

test("a path has one net entry, from its first state to its last, by its last writer, with the kind of the whole", () => {
  const entries = [
    entry("d1", "\u{1d4b3}", [null, state("1")]),
    entry("d1", "\uffee", [state("1"), state("2")]),
    entry("d2", "\u{1d4b3}", [state("1"), state("2")]),
    entry("d2", "back", [state("1"), null]),
    entry("d3", "back", [null, state("1")]),
    { ...entry("d3", "\uffee", [state("9"), null]), resource: "docs" },
  ];
  assert.deepEqual(netEntries(entries, "app"), [
    entry("d1", "\uffee", [state("1"), state("2")]),
    entry("d2", "\u{1d4b3}", [null, state("2")]),
  ]);
});

test("entries that do not chain name the path and both decisions", () => {
  const entries = [entry("d1", "a", [null, state("1")]), entry("d2", "a", [state("2"), state("3")])];
  assert.throws(() => netEntries(entries, "app"), {
    code: "internal",
    message: /"a" do not chain: decision d2, call 0, does not begin where decision d1, call 0, ended/,
  });
});
