import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { directoryField, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

const tags = { file: "[FILE]", directory: "[DIR]", symlink: "[LINK]" } as const;

export const listDirectory: Tool = {
  name: "list_directory",
  description:
    "List what a directory holds, one name a line behind [FILE], [DIR] or [LINK], in byte order of the names.",
  effect: "read",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: {
        type: "string",
        description: 'Path of the directory, relative to the root of the resource; "." is the root.',
      },
      ...resourceProperty,
    },
    required: ["path"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const names = await context.workspace(textField(input, "resource")).list(directoryField(input, "path"));
    return { output: names.map(({ kind, name }) => `${tags[kind]} ${name}`).join("\n") };
  },
};
