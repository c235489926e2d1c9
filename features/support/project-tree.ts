import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { uploadTree } from "#lib/client/upload-tree.ts";
import type { TreeStore } from "#lib/tree/tree-store.ts";
import { walkTree } from "#lib/tree/walk-tree.ts";
import type { Files } from "./plan-driver.ts";

const run = promisify(execFile);

/** Makes files the next revision of a project. */
export async function putProject(
  client: PlanledgerClient,
  id: string,
  { files, settings }: { readonly files: Files; readonly settings?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const sources = [...files].map(([path, bytes]) => ({
    path,
    mode: "100644" as const,
    read: async () => bytes,
  }));
  const { tree } = await uploadTree({ client, files: sources });
  await client.projects.put(id, { tree, ...(settings !== undefined && { settings: { ...settings } }) });
}

/** Every file of a project as it is now. */
export async function projectFiles(client: PlanledgerClient, id: string): Promise<Files> {
  const { tree } = await client.projects.get(id);
  const trees: TreeStore = {
    get: (sha256) => client.content.directory(sha256),
    put: () => Promise.reject(new Error("reading writes nothing")),
    missing: async () => [],
  };
  const files = new Map<string, Uint8Array>();
  for await (const { path, file } of walkTree(trees, tree)) {
    files.set(path, await client.content.get(file.sha256));
  }
  return files;
}

/** What real git says of the same plain files. */
export async function gitTreeId(files: Files): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "planledger-git-"));
  try {
    await run("git", ["init", "--quiet"], { cwd: root });
    for (const [path, bytes] of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), bytes);
    }
    await run("git", ["-c", "core.autocrlf=false", "add", "--all", "--force"], { cwd: root });
    return (await run("git", ["write-tree"], { cwd: root })).stdout.trim();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
