import assert from "node:assert/strict";
import { test } from "node:test";
import { contentState } from "../content/content-state.ts";
import type { FileMode, FileState } from "../tree/file-state.ts";
import type { ChangeEntry } from "./change-entry.ts";
import { changeKind } from "./change-kind.ts";
import { netChanges } from "./net-changes.ts";

const state = (text: string, mode: FileMode = "100644"): FileState => contentState(Buffer.from(text), mode);

function entry(
  path: string,
  states: readonly [FileState | null, FileState | null],
  resource = "app",
): ChangeEntry {
  const [before, after] = states;
  const kind = changeKind(before, after);
  assert.ok(kind);
  return { decisionId: "d1", callOrdinal: 0, resource, path, kind, before, after };
}

test("of several changes to a path the first state before and the last one after count", () => {
  const entries = [
    entry("b", [state("1"), state("2")]),
    entry("a", [null, state("x")]),
    entry("b", [state("2"), state("3", "100755")]),
  ];
  assert.deepEqual(netChanges(entries, "app"), [
    { path: "a", before: undefined, after: state("x") },
    { path: "b", before: state("1"), after: state("3", "100755") },
  ]);
});

test("a path that ends as it began is left out, whatever happened between", () => {
  const entries = [
    entry("new", [null, state("x")]),
    entry("new", [state("x"), null]),
    entry("back", [state("1"), null]),
    entry("back", [null, state("1")]),
    entry("mode", [state("1"), state("1", "100755")]),
  ];
  assert.deepEqual(
    netChanges(entries, "app").map(({ path }) => path),
    ["mode"],
  );
});

test("another resource's entries are not this one's", () => {
  const entries = [entry("a", [null, state("x")], "docs"), entry("a", [null, state("y")])];
  assert.deepEqual(netChanges(entries, "app"), [{ path: "a", before: undefined, after: state("y") }]);
});
