import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { maxFileSizeBytes } from "./file-limit.ts";
import { writeFileTree } from "./file-tree.testkit.ts";
import { propertyRuns } from "./property-runs.testkit.ts";
import { randomTree } from "./random-tree.testkit.ts";
import { type DiskFile, readDirectoryTree } from "./read-directory-tree.ts";

describe("readDirectoryTree", () => {
  let scratch: string;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), "planledger-read-"));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  let count = 0;
  const freshDirectory = async (): Promise<string> => {
    const directory = join(scratch, `case-${++count}`);
    await mkdir(directory);
    return directory;
  };
  const read = async (
    directory: string,
    paths: Iterable<string | Uint8Array>,
  ): Promise<readonly DiskFile[]> => {
    const files: DiskFile[] = [];
    for await (const file of readDirectoryTree(directory, paths)) files.push(file);
    return files;
  };

  it("F15 F17: reads any tree as it was written, names given as strings or as bytes", async () => {
    await fc.assert(
      fc.asyncProperty(randomTree, fc.boolean(), async (tree, asBytes) => {
        const directory = await freshDirectory();
        await writeFileTree(directory, tree);
        const paths = [...tree.keys()].map((path) => (asBytes ? Buffer.from(path) : path));
        const found = (await read(directory, paths)).map(({ path, mode, bytes }) => ({
          path,
          mode,
          hex: Buffer.from(bytes).toString("hex"),
        }));
        assert.deepEqual(
          found,
          [...tree].map(([path, { mode, bytes }]) => ({
            path,
            mode,
            hex: Buffer.from(bytes).toString("hex"),
          })),
        );
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("keeps a byte order mark in a name given as bytes", async () => {
    const directory = await freshDirectory();
    await writeFile(join(directory, "\ufeffmark"), "");
    const [file] = await read(directory, [Buffer.from("\ufeffmark")]);
    assert.equal(file?.path, "\ufeffmark");
  });

  it("refuses a name that is not UTF-8, and shows its bytes", async () => {
    const directory = await freshDirectory();
    await assert.rejects(read(directory, [Buffer.from("a\xff", "latin1")]), {
      code: "path_refused",
      message: /a\\\\xff.*not UTF-8/,
    });
  });

  it("refuses a path that no tree holds", async () => {
    await assert.rejects(read(await freshDirectory(), ["../case-1"]), { code: "path_refused" });
    await assert.rejects(read(await freshDirectory(), [".git/config"]), { code: "path_refused" });
  });

  it("refuses a pipe and a directory, without waiting for either", async () => {
    const directory = await freshDirectory();
    execFileSync("mkfifo", [join(directory, "pipe")]);
    await mkdir(join(directory, "module"));
    await assert.rejects(read(directory, ["pipe"]), { code: "path_refused", message: /"pipe".*neither/ });
    await assert.rejects(read(directory, ["module"]), {
      code: "path_refused",
      message: /"module".*submodule/,
    });
  });

  it("does not read through a link to a directory", async () => {
    const directory = await freshDirectory();
    const outside = await freshDirectory();
    await writeFile(join(outside, "secret"), "secret");
    await symlink(outside, join(directory, "link"));
    await assert.rejects(read(directory, ["link/secret"]), { code: "path_refused", message: /"link" above/ });
  });

  it("names a file that is gone", async () => {
    await assert.rejects(read(await freshDirectory(), ["a/b"]), {
      code: "path_not_found",
      message: /"a\/b"/,
    });
  });

  it("refuses a file above the limit before reading it", async () => {
    const directory = await freshDirectory();
    await writeFile(join(directory, "large"), "");
    await truncate(join(directory, "large"), maxFileSizeBytes + 1);
    await assert.rejects(read(directory, ["large"]), { code: "file_too_large" });
  });
});
