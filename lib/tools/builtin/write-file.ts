import { quoted } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";
import { base64Bytes, utf8Bytes } from "./text-bytes.ts";

export const writeFile: Tool = {
  name: "write_file",
  description:
    "Create a file, its parent directories with it, or replace the content of one, which keeps its mode. Bytes go in as base64.",
  effect: "workspace",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, relative to the root of the resource." },
      content: { type: "string", description: "The whole new content, written as it is." },
      encoding: {
        enum: ["utf8", "utf-8", "base64"],
        description: "How content is to be read: as text (the default), or as base64 for bytes.",
      },
      ...resourceProperty,
    },
    required: ["path", "content"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = requiredText(input, "path");
    const content = requiredText(input, "content");
    const bytes =
      textField(input, "encoding") === "base64"
        ? base64Bytes(content, "/content")
        : utf8Bytes(content, "/content");
    const done = await context.workspace(textField(input, "resource")).writeFile(path, bytes);
    return {
      output: `${done === "created" ? "Created" : "Replaced"} ${quoted(path)} (${bytes.byteLength} bytes).`,
    };
  },
};
