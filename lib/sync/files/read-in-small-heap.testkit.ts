import { parentPort } from "node:worker_threads";
import type { DirectoryFiles } from "../../apply/directory-files.ts";
import { fileLocalItems } from "./file-local-items.ts";

/** For a worker thread with a small heap: reads files that are made as they are read, and says how many items they are. */
const files = 120;
/** The arrow takes two bytes, and so does every character beside it: 120 times 1 MB. */
const prose = "→".padEnd(500_000, "x");

const refuse = (): never => {
  throw new Error("only read");
};
const disk: DirectoryFiles = {
  lookup: async (path) =>
    path.endsWith(".yaml") ? { kind: "file", executable: false } : { kind: "directory" },
  list: async () => Array.from({ length: files }, (_, index) => `${index}.yaml`),
  async read(path) {
    const index = /(\d+)\.yaml$/.exec(path)?.[1] ?? "";
    return Buffer.from(
      `description: ${prose}\nname: n\n_meta: { id: local/a-rather-long-name-${index}, version: "1.0.0-not-so-short" }\n`,
    );
  },
  writeFile: refuse,
  copyPermissions: refuse,
  makeSymlink: refuse,
  makeDirectory: refuse,
  rename: refuse,
  removeFile: refuse,
  renameObstacle: refuse,
  removeDirectory: refuse,
  syncDirectory: refuse,
};

const { entries } = await fileLocalItems({ root: "/none", files: disk }).read(["tools"]);
parentPort?.postMessage(entries.length);
