import type { Tool } from "../tool.ts";
import { applyPatch } from "./apply-patch.ts";
import { createDirectory } from "./create-directory.ts";
import { createSymlink } from "./create-symlink.ts";
import { deleteFile } from "./delete-file.ts";
import { editFile } from "./edit-file.ts";
import { getFileInfo } from "./get-file-info.ts";
import { listDirectory } from "./list-directory.ts";
import { moveFile } from "./move-file.ts";
import { readTextFile } from "./read-text-file.ts";
import { searchFiles } from "./search-files.ts";
import { setFileMode } from "./set-file-mode.ts";
import { writeFile } from "./write-file.ts";

/** The workspace tools that every plan may call, under the names and input shapes that agents know. */
export const builtinTools = (): readonly Tool[] => [
  readTextFile,
  writeFile,
  editFile,
  applyPatch,
  moveFile,
  deleteFile,
  listDirectory,
  searchFiles,
  createDirectory,
  getFileInfo,
  setFileMode,
  createSymlink,
];
