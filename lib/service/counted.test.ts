import assert from "node:assert/strict";
import { test } from "node:test";
import { counted } from "./counted.ts";

test("one is told in the singular", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, "decision")),
    ["0 decisions", "1 decision", "2 decisions"],
  );
});
