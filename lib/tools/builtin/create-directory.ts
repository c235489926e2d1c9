import { quoted } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { directoryField, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

export const createDirectory: Tool = {
  name: "create_directory",
  description:
    "Create a directory, with those above it, or make sure that it is there. A tree keeps no empty directory: one that holds nothing when the decision ends is gone.",
  effect: "workspace",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the directory, relative to the root of the resource." },
      ...resourceProperty,
    },
    required: ["path"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = directoryField(input, "path");
    const created = await context.workspace(textField(input, "resource")).createDirectory(path);
    return {
      output: created
        ? `Created the directory ${quoted(path)}.`
        : `The directory ${quoted(path)} is there already.`,
    };
  },
};
