import { quoted } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

export const deleteFile: Tool = {
  name: "delete_file",
  description:
    "Delete a file or a symbolic link (the link itself), or, with recursive, a directory with all it holds.",
  effect: "workspace",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: { type: "string", description: "Path to delete, relative to the root of the resource." },
      recursive: { type: "boolean", description: "Needed for a directory." },
      ...resourceProperty,
    },
    required: ["path"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = requiredText(input, "path");
    await context
      .workspace(textField(input, "resource"))
      .remove(path, { recursive: input.recursive === true });
    return { output: `Deleted ${quoted(path)}.` };
  },
};
