import { quoted } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

export const moveFile: Tool = {
  name: "move_file",
  description:
    "Move or rename a file, a symbolic link (the link itself) or a directory with all it holds. Parent directories are created; nothing may stand at the destination.",
  effect: "workspace",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      source: { type: "string", description: "Path to move, relative to the root of the resource." },
      destination: { type: "string", description: "The new path, in the same resource." },
      ...resourceProperty,
    },
    required: ["source", "destination"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const source = requiredText(input, "source");
    const destination = requiredText(input, "destination");
    await context.workspace(textField(input, "resource")).move(source, destination);
    return { output: `Moved ${quoted(source)} to ${quoted(destination)}.` };
  },
};
