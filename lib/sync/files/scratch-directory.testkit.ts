import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Directories for tests; `remove` takes all of them away. */
export function scratchDirectory() {
  const made: string[] = [];
  return {
    async make(): Promise<string> {
      const root = await realpath(await mkdtemp(join(tmpdir(), "planledger-sync-")));
      made.push(root);
      return root;
    },
    async put(root: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      }
    },
    /** Every file below a directory by path, as text. */
    async picture(root: string): Promise<Readonly<Record<string, string>>> {
      const found = await readdir(root, { recursive: true, withFileTypes: true });
      const entries = await Promise.all(
        found
          .filter((entry) => entry.isFile())
          .map(async (entry) => {
            const path = join(entry.parentPath, entry.name);
            return [path.slice(root.length + 1), await readFile(path, "utf8")] as const;
          }),
      );
      return Object.fromEntries(entries.sort());
    },
    remove: async () => {
      for (const root of made) await rm(root, { recursive: true, force: true });
    },
  };
}
