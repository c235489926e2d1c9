import { type FileHandle, open } from "node:fs/promises";
import * as z from "zod/mini";
import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { PlanledgerError } from "../errors/planledger-error.ts";
import { memorySecretStore } from "./memory-secret-store.ts";
import type { SecretStore } from "./secret-store.ts";

const secretsFile = z.record(z.string(), z.record(z.string(), z.string()));

/**
 * Secrets in a JSON file, `{ "TENANT": { "NAME": "value" } }`, read anew at every use, so that a changed one counts at once. A
 * file that is not there holds none. One that others than its owner may read or write is refused, as is one that is not of
 * that form; the messages never show what it holds.
 */
export const fileSecretStore = (path: string): SecretStore => ({
  async get(key) {
    const text = await readPrivate(path);
    return text === undefined ? undefined : memorySecretStore(parsed(path, text)).get(key);
  },
});

const readPrivate = async (path: string): Promise<Buffer | undefined> => {
  const file = await openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat();
    if ((mode & 0o077) !== 0 && process.platform !== "win32") {
      throw unusable(`${path} may be read or written by others than its owner; set its mode to 600`);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
};

const openIfThere = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
};

const parsed = (path: string, text: Buffer) => {
  try {
    return z.parse(secretsFile, parseStrictJson(text));
  } catch {
    // Without the cause: its message may show a part of the file.
    throw unusable(`${path} is not of the form { "TENANT": { "NAME": "value" } }`);
  }
};

const unusable = (problem: string) =>
  new PlanledgerError({ code: "secret_unavailable", message: `The file of secrets ${problem}.` });
