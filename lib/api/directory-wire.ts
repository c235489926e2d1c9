import type * as z from "zod/mini";
import type { Directory } from "../tree/directory.ts";
import type { directoryJson } from "./content-requests.ts";

export type WireDirectory = z.output<typeof directoryJson>;

/** A directory as it travels. */
export const directoryWire = (directory: Directory): WireDirectory => ({
  entries: directory.entries.map((entry) =>
    entry.kind === "directory"
      ? {
          kind: "directory",
          name: entry.name,
          sha256: entry.directory.sha256,
          gitId: entry.directory.gitTreeId,
        }
      : {
          kind: "file",
          name: entry.name,
          mode: entry.file.mode,
          sha256: entry.file.sha256,
          sizeBytes: entry.file.sizeBytes,
          gitId: entry.file.gitBlobId,
        },
  ),
});

/** The directory that travelled. */
export const directoryFrom = (wire: WireDirectory): Directory => ({
  entries: wire.entries.map((entry) =>
    entry.kind === "directory"
      ? { kind: "directory", name: entry.name, directory: { sha256: entry.sha256, gitTreeId: entry.gitId } }
      : {
          kind: "file",
          name: entry.name,
          file: {
            sha256: entry.sha256,
            sizeBytes: entry.sizeBytes,
            mode: entry.mode,
            gitBlobId: entry.gitId,
          },
        },
  ),
});
