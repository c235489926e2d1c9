import { ToolError } from "../tool-error.ts";

/** `patch_failed` with the place in the patch, and the path where there is one. */
export const patchFailed = (
  message: string,
  at: { readonly patchLine?: number; readonly path?: string; readonly hunk?: number } = {},
): ToolError => {
  const where = at.patchLine === undefined ? "" : ` (line ${at.patchLine} of the patch)`;
  return new ToolError({
    code: "patch_failed",
    message: `The patch cannot be applied: ${message}${where}. Nothing was changed.`,
    details: { ...at },
  });
};
