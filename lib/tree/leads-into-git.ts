import { nameRefusal } from "./path-rules.ts";

/**
 * Whether the target of a symbolic link names `.git`, in any spelling that some file system takes for it: a tree from outside
 * keeps its links as they are, absolute ones too, but none into the repository that it is checked out in.
 */
export const leadsIntoGit = (target: Uint8Array): boolean =>
  Buffer.from(target)
    .toString()
    .split(/[\\/]/)
    .some((name) => nameRefusal(name) === "git_directory");
