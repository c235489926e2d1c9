import { pathNotFound } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { directoryField, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

export const getFileInfo: Tool = {
  name: "get_file_info",
  description:
    "Tell what stands at a path: type, and of a file its size, mode and SHA-256, of a symbolic link its target. No times: a tree keeps none.",
  effect: "read",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: { type: "string", description: "Path relative to the root of the resource." },
      ...resourceProperty,
    },
    required: ["path"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = directoryField(input, "path");
    const workspace = context.workspace(textField(input, "resource"));
    const node = await workspace.info(path);
    if (node === undefined) throw pathNotFound(path, workspace.resource);
    switch (node.kind) {
      case "directory":
        return { output: "type: directory" };
      case "file":
        return {
          output: `type: file\nsize: ${node.sizeBytes}\nmode: ${node.mode}\nsha256: ${node.sha256}`,
        };
      case "symlink":
        return {
          output: Buffer.concat([Buffer.from("type: symlink\ntarget: "), await workspace.readLink(path)]),
        };
      default:
        return node satisfies never;
    }
  },
};
