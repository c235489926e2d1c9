import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentState } from "../content/content-state.ts";
import { InfrastructureError, ValidationError } from "../errors/planledger-error.ts";
import { checkDirectory } from "./check-directory.ts";
import type { Directory, DirectoryEntry } from "./directory.ts";
import { decodeDirectory, encodeDirectory } from "./directory-codec.ts";
import { directoryRef, directorySha256 } from "./directory-ref.ts";
import { emptyDirectory, emptyTree } from "./empty-tree.ts";
import { maxFileSizeBytes } from "./file-limit.ts";

const state = contentState(Buffer.from("hello\n"), "100644");
const file = (name: string, change: object = {}): DirectoryEntry => ({
  kind: "file",
  name,
  file: { ...state, ...change },
});
const subdirectory = (name: string): DirectoryEntry => ({
  kind: "directory",
  name,
  directory: directoryRef({ entries: [file("x")] }),
});
const sample: Directory = { entries: [file("a.b"), subdirectory("a"), file("a0", { mode: "120000" })] };

describe("a directory's address", () => {
  it("is the SHA-256 of a canonical form that anybody can make", () => {
    // Test vectors: a change here breaks every stored tree.
    assert.equal(emptyTree.sha256, "7f63e154f913069bbd43974074780a977c347557d62bc983d3bac76d980cfd19");
    assert.equal(emptyTree.gitTreeId, "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    assert.equal(directorySha256(sample), "30a9ef0c9b9f4663000bcc5b2a90c433e941500f7c7210d697c8fb661fc1f5f7");
  });

  it("does not cover git ids, and covers everything else", () => {
    const withFile = (change: object): string => directorySha256({ entries: [file("a", change)] });
    const plain = withFile({});
    assert.equal(withFile({ gitBlobId: "0".repeat(40) }), plain);
    const others = [{ mode: "100755" }, { sizeBytes: 7 }, { sha256: "0".repeat(64) }].map(withFile);
    const renamed = directorySha256({ entries: [file("b")] });
    assert.equal(new Set([plain, renamed, ...others]).size, 5);
  });
});

describe("decodeDirectory", () => {
  it("gives back what was encoded", () => {
    for (const directory of [sample, emptyDirectory]) {
      assert.deepEqual(
        decodeDirectory(encodeDirectory(directory), directoryRef(directory).sha256),
        directory,
      );
    }
  });

  it("refuses bytes that are not the directory of that address, wherever they are damaged", () => {
    const bytes = encodeDirectory(sample);
    const { sha256 } = directoryRef(sample);
    const damaged = [
      bytes.subarray(0, -1),
      bytes.subarray(1),
      new Uint8Array(),
      encodeDirectory(emptyDirectory),
    ];
    for (const [offset, byte] of bytes.entries()) {
      if (offset === 0 || sampleHashedAt(offset))
        damaged.push(Buffer.from(bytes).fill(byte ^ 1, offset, offset + 1));
    }
    for (const wrong of damaged) assert.throws(() => decodeDirectory(wrong, sha256), InfrastructureError);
  });
});

/** Offsets of the first entry's tag, length, name and SHA-256. */
const sampleHashedAt = (offset: number): boolean => offset < 1 + 2 + 3 + 32;

describe("checkDirectory", () => {
  const refused: readonly (readonly [string, string, readonly DirectoryEntry[]])[] = [
    ["a name twice", "entries/1/name", [file("a"), file("a")]],
    ["a name as file and directory", "entries/2/name", [file("a"), file("a.b"), subdirectory("a")]],
    ["entries out of order", "entries/1/name", [file("b"), file("a")]],
    ["a directory sorted as if it did not end in /", "entries/1/name", [subdirectory("a"), file("a.b")]],
    ["a name with a slash", "entries/0/name", [file("a/b")]],
    ["a name that is .git", "entries/0/name", [subdirectory(".GIT")]],
    ["a submodule", "entries/0/mode", [file("a", { mode: "160000" })]],
    ["an unknown mode", "entries/0/mode", [file("a", { mode: "100600" })]],
    ["a malformed hash", "entries/0/sha256", [file("a", { sha256: "A".repeat(64) })]],
    ["a malformed git id", "entries/0/gitId", [file("a", { gitBlobId: "" })]],
    ["a negative size", "entries/0/sizeBytes", [file("a", { sizeBytes: -1 })]],
    ["a size above the limit", "entries/0/sizeBytes", [file("a", { sizeBytes: maxFileSizeBytes + 1 })]],
    ["an empty subdirectory", "entries/0/sha256", [{ kind: "directory", name: "a", directory: emptyTree }]],
  ];
  for (const [what, field, entries] of refused) {
    it(`refuses ${what} and names ${field}`, () => {
      assert.throws(
        () => checkDirectory({ entries }),
        (error) => error instanceof ValidationError && error.field === field,
      );
    });
  }

  it("says that a submodule is what it refuses", () => {
    assert.throws(() => checkDirectory({ entries: [file("a", { mode: "160000" })] }), /submodule/);
  });

  it("accepts a directory in git's order", () => {
    checkDirectory(sample);
    checkDirectory(emptyDirectory);
  });
});
