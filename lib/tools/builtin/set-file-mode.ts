import { quoted } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

export const setFileMode: Tool = {
  name: "set_file_mode",
  description: "Make a file executable (100755) or not (100644), as git records it.",
  effect: "workspace",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, relative to the root of the resource." },
      mode: { enum: ["100644", "100755"], description: "100755 is executable, 100644 is not." },
      ...resourceProperty,
    },
    required: ["path", "mode"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = requiredText(input, "path");
    const mode = input.mode === "100755" ? "100755" : "100644";
    await context.workspace(textField(input, "resource")).setMode(path, mode);
    return { output: `${quoted(path)} has mode ${mode}.` };
  },
};
