import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Files } from "./plan-driver.ts";

/** A directory of its own for a scenario. */
export interface Sandbox {
  readonly root: string;
  files(): Promise<Files>;
  remove(): Promise<void>;
}

export async function sandbox(files: Files): Promise<Sandbox> {
  const root = await mkdtemp(join(tmpdir(), "planledger-feature-"));
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), bytes);
  }
  return {
    root,
    async files() {
      const found = new Map<string, Uint8Array>();
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) {
          const path = join(entry.parentPath, entry.name);
          found.set(relative(root, path), await readFile(path));
        }
      }
      return found;
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
