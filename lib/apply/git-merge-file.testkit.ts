import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Sides {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

/** `git merge-file -p` of three contents: the bytes of a clean merge, `undefined` for a conflict or a binary. */
export function gitMergeFile() {
  const directory = mkdtempSync(join(tmpdir(), "planledger-merge-file-"));
  const at = (name: string): string => join(directory, name);
  return {
    merge(sides: Sides): Buffer | undefined {
      writeFileSync(at("base"), sides.base);
      writeFileSync(at("ours"), sides.ours);
      writeFileSync(at("theirs"), sides.theirs);
      const done = spawnSync("git", ["merge-file", "-p", at("ours"), at("base"), at("theirs")]);
      const failed = done.status === null || (done.status >= 255 && !/binary/.test(done.stderr.toString()));
      if (failed) throw new Error(`git merge-file: ${done.status} ${done.stderr}`);
      return done.status === 0 ? done.stdout : undefined;
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}
