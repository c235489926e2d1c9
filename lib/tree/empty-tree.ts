import type { Directory, DirectoryRef } from "./directory.ts";
import { directoryRef } from "./directory-ref.ts";

export const emptyDirectory: Directory = { entries: [] };

/** The root of a tree without files. Tree operations know it; no store needs to hold it. */
export const emptyTree: DirectoryRef = directoryRef(emptyDirectory);
