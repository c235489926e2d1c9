import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { makeDirectories } from "#lib/apply/make-directories.ts";
import { ConflictError } from "#lib/errors/planledger-error.ts";

/** Sole use of a data directory. `noteEmulator` records the process that holds its files, for the next owner to wait for. */
export interface DataDirectoryLock {
  noteEmulator(pid: number): void;
  release(): void;
}

interface Owner {
  readonly pid: number;
  readonly emulatorPid?: number;
}

/**
 * Takes a data directory for this process, or throws a `ConflictError` that names the owner. The lock is a lock of the
 * operating system on a SQLite file, so it ends with its process, however that ends, and nothing stale can be left. An
 * emulator of a killed owner may live some milliseconds longer: this waits for it, up to five seconds.
 */
export async function lockDataDirectory(dataDir: string): Promise<DataDirectoryLock> {
  await makeDirectories(dataDir);
  const ownerFile = join(dataDir, "owner.json");
  const database = new DatabaseSync(join(dataDir, "lock.db"), { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    const owner = readOwner(ownerFile);
    throw new ConflictError({
      code: "store_conflict",
      message:
        `The data directory ${dataDir} is in use${owner === undefined ? "" : ` by process ${owner.pid}`}. ` +
        "Stop that process, or choose another directory with --data.",
      details: { dataDir, ...(owner === undefined ? {} : { pid: owner.pid }) },
      cause,
    });
  }
  const former = readOwner(ownerFile);
  if (former?.emulatorPid !== undefined) await waitForExit(former.emulatorPid, 5000);
  writeFileSync(ownerFile, JSON.stringify({ pid: process.pid } satisfies Owner));
  return {
    noteEmulator(pid) {
      writeFileSync(ownerFile, JSON.stringify({ pid: process.pid, emulatorPid: pid } satisfies Owner));
    },
    release() {
      if (database.isOpen) database.close();
    },
  };
}

/** A torn or missing file tells nothing: it only serves the message and the wait. */
function readOwner(file: string): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof owner !== "object" || owner === null || !("pid" in owner)) return undefined;
    if (typeof owner.pid !== "number") return undefined;
    const emulatorPid = "emulatorPid" in owner ? owner.emulatorPid : undefined;
    return { pid: owner.pid, ...(typeof emulatorPid === "number" ? { emulatorPid } : {}) };
  } catch {
    return undefined;
  }
}

/** After the limit it goes on: the number then belongs to some other process by now. */
async function waitForExit(pid: number, limitMs: number): Promise<void> {
  for (const until = Date.now() + limitMs; isAlive(pid) && Date.now() < until; ) await delay(10);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
