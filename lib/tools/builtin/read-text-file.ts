import { isUtf8 } from "node:buffer";
import { quoted, refusal } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { numberField, requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

export const readTextFile: Tool = {
  name: "read_text_file",
  description:
    "Read a text file (UTF-8), whole, or its first (head) or last (tail) lines. Every byte is given back as it is, byte order marks and line ends included.",
  effect: "read",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, relative to the root of the resource." },
      head: { type: "integer", minimum: 1, description: "Only the first N lines." },
      tail: { type: "integer", minimum: 1, description: "Only the last N lines." },
      ...resourceProperty,
    },
    required: ["path"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = requiredText(input, "path");
    const head = numberField(input, "head");
    const tail = numberField(input, "tail");
    if (head !== undefined && tail !== undefined) {
      throw new ToolError({
        code: "input_invalid",
        message: "head and tail cannot both be given; leave one out.",
        details: { field: "/tail" },
      });
    }
    const { bytes } = await context.workspace(textField(input, "resource")).readFile(path);
    if (!isUtf8(bytes)) {
      throw refusal(
        "not_text",
        `${quoted(path)} is not UTF-8 text (${bytes.byteLength} bytes); get_file_info tells its size and hash.`,
        path,
      );
    }
    if (head !== undefined) return { output: bytes.subarray(0, endOfLine(bytes, head)) };
    if (tail !== undefined) return { output: bytes.subarray(startOfTail(bytes, tail)) };
    return { output: bytes };
  },
};

const newline = 0x0a;

const endOfLine = (bytes: Uint8Array, lines: number): number => {
  let end = 0;
  for (let line = 0; line < lines && end < bytes.length; line += 1) {
    const at = bytes.indexOf(newline, end);
    end = at === -1 ? bytes.length : at + 1;
  }
  return end;
};

const startOfTail = (bytes: Uint8Array, lines: number): number => {
  // The newline that ends the last line begins no further one.
  let start = bytes.at(-1) === newline ? bytes.length - 1 : bytes.length;
  for (let line = 0; line < lines; line += 1) {
    const at = start === 0 ? -1 : bytes.lastIndexOf(newline, start - 1);
    if (at === -1) return 0;
    start = at;
  }
  return start + 1;
};
