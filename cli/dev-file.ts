import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { makeDirectories } from "#lib/apply/make-directories.ts";
import { UsageError } from "./usage-error.ts";

const devFile = z.looseObject({ url: z.string(), token: z.string() });
export type DevFile = z.infer<typeof devFile>;

const folder = ".planledger";
const fileName = "dev.json";

/** Where `planledger dev`, started in this directory, says how it can be reached. */
export const devFilePath = (directory: string): string => join(directory, folder, fileName);

/** The nearest one, upwards from a directory; `undefined` when there is none. A file that is not one is an error. */
export async function findDevFile(
  directory: string,
): Promise<(DevFile & { readonly path: string }) | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    const path = devFilePath(at);
    const text = await readFile(path, "utf8").catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === "ENOENT" || fault.code === "ENOTDIR") return undefined;
      throw fault;
    });
    if (text !== undefined) return { ...parsed(text, path), path };
    if (dirname(at) === at) return undefined;
  }
}

function parsed(text: string, path: string): DevFile {
  try {
    return devFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new UsageError(`${path} is damaged; delete it and start \`planledger dev\` again`, { cause });
  }
}

/** Makes `.planledger` a folder that git does not see: it holds a token. */
export async function makePrivateFolder(directory: string): Promise<string> {
  const path = join(directory, folder);
  await makeDirectories(path, { mode: 0o700 });
  await writeFile(join(path, ".gitignore"), "*\n", { flag: "wx" }).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== "EEXIST") throw fault;
  });
  return path;
}

/** Written whole and readable by its owner only. */
export async function writeDevFile(
  directory: string,
  content: DevFile & { readonly pid: number },
): Promise<string> {
  await makePrivateFolder(directory);
  const path = devFilePath(directory);
  const temporary = `${path}.${content.pid}`;
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
  return path;
}

/** Takes it away, unless another `dev` has written its own meanwhile. */
export async function removeDevFile(directory: string, url: string): Promise<void> {
  const path = devFilePath(directory);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text?.includes(JSON.stringify(url))) await rm(path, { force: true });
}
