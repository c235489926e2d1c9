import type { Guard } from "./guard-list.ts";

const items = { test: "lib/sync/files/item-files.test.ts" } as const;
const contract = { test: "lib/sync/files/file-local-items.test.ts" } as const;
const yaml = { test: "lib/sync/files/edit-yaml.test.ts" } as const;
const command = { test: "cli/sync.test.ts" } as const;

/** Guards of the files that a sync reads and writes. */
export const syncFileGuards: readonly Guard[] = [
  {
    name: "sync files: an edited text is read again before it counts",
    file: "lib/sync/files/edit-yaml.ts",
    find: "if (edited !== undefined && says(edited, wanted)) return edited;",
    replace: "if (edited !== undefined) return edited;",
    ...yaml,
  },
  {
    name: "sync files: a file must say what it is to say when it is read again",
    file: "lib/sync/files/file-local-items.ts",
    find: "if (kept) return bytes;",
    replace: 'if (kept || path !== "") return bytes;',
    ...items,
    testName: "cannot say",
  },
  {
    name: "sync files: no file is read through a symbolic link",
    file: "lib/sync/files/working-files.ts",
    find: 'if (node === undefined || node.kind === "file") return node;',
    replace:
      'if (node === undefined || node.kind === "file" || node.kind === "symlink") return { kind: "file" as const, executable: false };',
    ...items,
    testName: "symbolic link",
  },
  {
    name: "sync files: nothing goes through a linked directory",
    file: "lib/sync/files/working-files.ts",
    find: 'if (node.kind === "directory") continue;',
    replace: 'if (node.kind === "directory" || node.kind === "symlink") continue;',
    ...items,
    testName: "symbolic link",
  },
  {
    name: "sync files: only what is expected is overwritten",
    file: "lib/sync/files/file-local-items.ts",
    find: 'if (before?.entry.contentSha256 !== expectedSha256) return "changed";',
    replace: "",
    ...contract,
  },
  {
    name: "sync files: only what is expected is deleted",
    file: "lib/sync/files/file-local-items.ts",
    find: 'if (found.entry.contentSha256 !== expectedSha256) return "changed";',
    replace: "",
    ...contract,
  },
  {
    name: "sync files: a file that came meanwhile is not overwritten",
    file: "lib/sync/files/file-local-items.ts",
    find: "if (!(await files.exists(path))) return path;",
    replace: 'if (path !== "") return path;',
    ...items,
    testName: "meanwhile",
  },
  {
    name: "sync files: ids that the disk takes for one are an error",
    file: "lib/sync/files/file-local-items.ts",
    find: "if (there !== undefined && sameWithoutCase(there, key.id)) {",
    replace: "if (there === undefined && sameWithoutCase(path, key.id)) {",
    ...items,
    testName: "case only",
  },
  {
    name: "sync files: versions are what is written",
    file: "lib/sync/files/item-text.ts",
    find: "if (numeric.length === 0) return value;",
    replace: "if (numeric.length >= 0) return value;",
    ...items,
    testName: "F19",
  },
  {
    name: "sync files: a damaged file of bases is set aside",
    file: "lib/sync/files/file-sync-base-store.ts",
    find: "if (damaged !== undefined) await",
    replace: 'if (damaged !== undefined && server === "") await',
    ...items,
    testName: "damaged",
  },
  {
    name: "sync files: what a policy overwrites of a project's files is copied first",
    file: "cli/sync/project-trees-on-disk.ts",
    find: "if (keepIn !== undefined) await keepCopies(keepIn, { directory, changed });",
    replace: "",
    ...command,
    testName: "pulled whole",
  },
  {
    name: "sync files: other files in the place of a new project are in the way",
    file: "cli/sync/project-trees-on-disk.ts",
    find: "if (now.root.sha256 !== (from ?? emptyTree.sha256)) {",
    replace: "if (from !== undefined && now.root.sha256 !== from) {",
    ...command,
    testName: "pulled whole",
  },
  {
    name: "sync files: definitions are in no project's tree",
    file: "cli/sync/project-files.ts",
    find: "return files.filter(({ path }) => !isDefinition(fromRoot(directory, path)));",
    replace: "return files.filter(({ path }) => path !== fromRoot(directory, directory));",
    ...command,
    testName: "directory of all",
  },
  {
    name: "sync files: an entry does not keep the text that its id is a piece of",
    file: "lib/sync/local-entry.ts",
    find: "id: ownText(id)",
    replace: "id",
    test: "lib/sync/files/file-local-items.test.ts",
    testName: "documents are not held",
  },
  {
    name: "sync files: documents are not held while items are read",
    file: "lib/sync/files/file-local-items.ts",
    find: "if (isFound(found)) entries.push(found.entry);",
    replace: "if (isFound(found)) entries.push(Object.assign(found.entry, { found }));",
    test: "lib/sync/files/file-local-items.test.ts",
    testName: "documents are not held",
  },
];
