import { PlanledgerError } from "../../errors/planledger-error.ts";

/** The file that defines a project, as it stands and as it is to stand. */
export interface DefinitionChange {
  readonly path: string;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
}

/** The file trees of projects on disk. Directories are relative to the root of the working copy, `.` for itself. */
export interface ProjectTrees {
  /** SHA-256 of the root of the directory's tree. A directory that is not there, or cannot be read, is a `PlanledgerError`. */
  hash(directory: string): Promise<string>;
  /**
   * Makes the directory hold `to` if it holds `from` (`undefined`: nothing), and changes the definition with it: all of that or
   * nothing, also when it is killed. What is overwritten is copied below `keepIn` before. Whatever stands in the way is a
   * `ConflictError`, and nothing is changed.
   */
  apply(order: {
    readonly directory: string;
    readonly from: string | undefined;
    readonly to: string;
    readonly definition: DefinitionChange;
    readonly keepIn: string | undefined;
  }): Promise<void>;
}

const refused = (): never => {
  throw new PlanledgerError({
    code: "validation_failed",
    message: "Projects cannot be synced here: nothing that reads their file trees was given.",
  });
};

/** For working copies without projects. */
export const noProjectTrees: ProjectTrees = { hash: async () => refused(), apply: async () => refused() };
