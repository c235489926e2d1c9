import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFailure, failureJson } from "./describe-failure.ts";

test("a machine that is out of something is told with what to do, in words and as JSON", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write 'a.txt'"), { code: "ENOSPC" });
  const said =
    "ENOSPC: no space left on device, write 'a.txt': the disk is full; free some space, and run the command again";
  assert.equal(
    describeFailure(full, (_, text) => text),
    `error: ${said}\n`,
  );
  assert.deepEqual(failureJson(full), { error: { code: "internal", message: said } });
  const other = Object.assign(new Error("EXDEV: cross-device link"), { code: "EXDEV" });
  assert.equal(
    describeFailure(other, (_, text) => text),
    "error: EXDEV: cross-device link\n",
  );
});
