import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../usage-error.ts";
import { scratch } from "./scratch.testkit.ts";
import { uncommittedPaths } from "./uncommitted-paths.ts";

test("edited, staged and untracked paths are uncommitted, whatever stands beside them; ignored ones are not git's", async () => {
  await using dir = await scratch();
  await dir.put({ "sub/edited": "1", "sub/same": "1", "sub/*": "1", "sub/.gitignore": "ignored\n" });
  dir.git("init", "-q");
  dir.git("add", "--all");
  dir.git("commit", "-qm", "base");
  await dir.put({ "sub/edited": "2", "sub/staged": "1", "sub/new": "1", "sub/ignored": "1" });
  dir.git("add", "sub/staged");
  const asked = ["edited", "same", "*", "staged", "new", "ignored", "nowhere"];
  assert.deepEqual([...(await uncommittedPaths(`${dir.path}/sub`, asked))].sort(), [
    "edited",
    "new",
    "staged",
  ]);
});

test("what git refuses is told in a line", async () => {
  await using dir = await scratch();
  dir.git("init", "-q");
  await dir.put({ a: "1", ".git/index": "no index" });
  await assert.rejects(uncommittedPaths(dir.path, ["a"]), (fault: unknown) => {
    assert.ok(fault instanceof UsageError, String(fault));
    assert.match(fault.message, /^git status failed in .*index/);
    return true;
  });
});
