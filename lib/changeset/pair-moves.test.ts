import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentState } from "../content/content-state.ts";
import type { FileMode } from "../tree/file-state.ts";
import { changeKind } from "./change-kind.ts";
import { pairMoves } from "./pair-moves.ts";

const state = (text: string, mode: FileMode = "100644") => contentState(Buffer.from(text), mode);
const gone = (path: string, text: string, mode?: FileMode) => ({
  path,
  before: state(text, mode),
  after: null,
});
const come = (path: string, text: string, mode?: FileMode) => ({
  path,
  before: null,
  after: state(text, mode),
});

describe("pairMoves", () => {
  it("pairs what went with what came under the same content and mode", () => {
    assert.deepEqual([...pairMoves([come("b", "1"), gone("a", "1")])], [["b", "a"]]);
    assert.deepEqual([...pairMoves([come("b", "2"), gone("a", "1")])], []);
    assert.deepEqual([...pairMoves([come("b", "1", "100755"), gone("a", "1")])], []);
  });

  it("pairs in path order, by bytes, and leaves over what has no partner", () => {
    const changes = [
      come("y/\u{10000}", "1"),
      come("y/\uffff", "1"),
      gone("b", "1"),
      gone("a", "1"),
      gone("c", "1"),
    ];
    assert.deepEqual(
      [...pairMoves(changes)],
      [
        ["y/\uffff", "a"],
        ["y/\u{10000}", "b"],
      ],
    );
    assert.deepEqual([...pairMoves([gone("a", "1"), come("b", "1"), come("c", "1")])], [["b", "a"]]);
  });

  it("takes no part in what was overwritten or edited", () => {
    const overwritten = { path: "b", before: state("2"), after: state("1") };
    assert.deepEqual([...pairMoves([gone("a", "1"), overwritten])], []);
  });
});

describe("changeKind", () => {
  const cases = [
    [null, state("1"), "create"],
    [state("1"), null, "delete"],
    [state("1"), state("2"), "modify"],
    [state("1"), state("2", "100755"), "modify"],
    [state("1"), state("1", "100755"), "mode"],
    [state("1"), state("1", "120000"), "type"],
    [state("1", "120000"), state("2"), "type"],
    [state("1", "120000"), state("2", "120000"), "modify"],
    [state("1"), state("1"), undefined],
    [null, undefined, undefined],
  ] as const;
  for (const [before, after, kind] of cases) {
    it(`is ${kind} from ${before?.mode ?? "absent"} to ${after?.mode ?? "absent"}`, () => {
      assert.equal(changeKind(before, after), kind);
    });
  }
});
