import { quoted } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

export const createSymlink: Tool = {
  name: "create_symlink",
  description:
    "Create a symbolic link where nothing stands. The target is stored as given; it is relative to the link's directory and stays inside the tree, and need not exist. No tool follows links.",
  effect: "workspace",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the link, relative to the root of the resource." },
      target: { type: "string", description: "What it points to, relative to the directory of the link." },
      ...resourceProperty,
    },
    required: ["path", "target"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = requiredText(input, "path");
    const target = requiredText(input, "target");
    await context.workspace(textField(input, "resource")).createLink(path, target);
    return { output: `Created the symbolic link ${quoted(path)} to ${quoted(target)}.` };
  },
};
