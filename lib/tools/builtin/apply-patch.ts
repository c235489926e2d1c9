import { vettedSchema } from "../input-validator.ts";
import { parsePatch } from "../patch/parse-patch.ts";
import { patchReader } from "../patch/patch-reader.ts";
import { patchWorkspace } from "../patch/patch-workspace.ts";
import type { Tool } from "../tool.ts";
import { workBudget } from "../work-budget.ts";
import { requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";
import { base64Bytes, utf8Bytes } from "./text-bytes.ts";

/** Bytes before and after of all files of a patch: they are held together until all are worked out. */
const maxPatchedBytes = 128 * 1024 * 1024;

export const applyPatch: Tool = {
  name: "apply_patch",
  description:
    "Apply a unified diff (paths with a/ and b/), plain or with git's headers: creations, deletions, modes, renames, copies, symbolic links, binary patches. All of it or nothing. Lines must match byte for byte; a hunk may stand at another line than it says. A creation onto a path that stands is refused.",
  effect: "workspace",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      patch: { type: "string", minLength: 1, description: "The diff, as git diff prints it." },
      encoding: {
        enum: ["utf8", "utf-8", "base64"],
        description:
          "How patch is to be read: as text (the default), or as base64 for one that is not UTF-8.",
      },
      ...resourceProperty,
    },
    required: ["patch"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const text = requiredText(input, "patch");
    const patch =
      textField(input, "encoding") === "base64" ? base64Bytes(text, "/patch") : utf8Bytes(text, "/patch");
    const workspace = context.workspace(textField(input, "resource"));
    const budget = workBudget({
      maximum: maxPatchedBytes,
      tooMuch: `The files of the patch have more than ${maxPatchedBytes} bytes before and after it; apply it in several calls.`,
      signal: context.signal,
    });
    const lines = await patchWorkspace(workspace, parsePatch(patchReader(patch)), budget);
    return { output: lines.join("\n") };
  },
};
