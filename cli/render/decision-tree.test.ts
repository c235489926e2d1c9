import assert from "node:assert/strict";
import { test } from "node:test";
import { decisionTreeLines } from "./decision-tree.ts";

const drawn = (nodes: readonly { id: string; parentId?: string }[]) =>
  [...decisionTreeLines(nodes)].map(({ prefix, id }) => prefix + id);

test("children stand below their parents in plan order, under a root that is no decision", () => {
  assert.deepEqual(
    drawn([
      { id: "b", parentId: "root" },
      { id: "b1", parentId: "b" },
      { id: "a", parentId: "root" },
      { id: "b2", parentId: "b" },
      { id: "alone" },
      { id: "b11", parentId: "b1" },
    ]),
    ["root", "├─ b", "│  ├─ b1", "│  │  └─ b11", "│  └─ b2", "└─ a", "alone"],
  );
});

test("a parent that comes after its child in plan order is drawn once, in its place", () => {
  assert.deepEqual(drawn([{ id: "child", parentId: "parent" }, { id: "parent" }]), ["parent", "└─ child"]);
});

test("no decisions draw nothing, and a chain of 20,000 is no trouble", () => {
  assert.deepEqual(drawn([]), []);
  const chain = Array.from({ length: 20_000 }, (_, index) => ({
    id: `d${index}`,
    parentId: `d${index - 1}`,
  }));
  let count = 0;
  for (const { id } of decisionTreeLines(chain)) {
    assert.equal(id, `d${count - 1}`);
    count += 1;
  }
  assert.equal(count, 20_001);
});
