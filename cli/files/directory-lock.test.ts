import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../usage-error.ts";
import { withDirectoryLock } from "./directory-lock.ts";
import { scratch } from "./scratch.testkit.ts";

test("a directory that another command is at work in is said to be, and is free again once that one ended", async () => {
  await using dir = await scratch();
  await withDirectoryLock(dir.path, async () => {
    await assert.rejects(
      withDirectoryLock(dir.path, async () => assert.fail("both at once")),
      { code: "directory_in_use", message: /another command is at work in .*, a sync or an apply/ },
    );
  });
  assert.equal(await withDirectoryLock(dir.path, async () => "free"), "free");
});

test("a lock file that is none is told of, and not taken for another command", async () => {
  await using dir = await scratch();
  await dir.put({ ".planledger/apply.lock": "no lock\n".repeat(300) });
  const never = withDirectoryLock(dir.path, async () => assert.fail("no lock was had"));
  await assert.rejects(never, (fault: unknown) => {
    assert.ok(fault instanceof UsageError, String(fault));
    assert.match(
      fault.message,
      /apply\.lock cannot be locked \(.+\); when no other command .* remove that file$/,
    );
    return true;
  });
});
