import { fileDiff } from "../../diff/file-diff.ts";
import { quoted } from "../../workspace/refusals.ts";
import { vettedSchema } from "../input-validator.ts";
import { occurrences } from "../occurrences.ts";
import type { Tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { workBudget } from "../work-budget.ts";
import { requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";
import { utf8Bytes } from "./text-bytes.ts";

/** Bytes of the file that all edits of a call pass over together: 64 edits of the largest file. */
const maxPassedBytes = 1024 * 1024 * 1024;

export const editFile: Tool = {
  name: "edit_file",
  description:
    "Replace texts in a file, one edit after another. Each oldText must occur exactly once in the file as the edits before left it, byte for byte; line ends are never changed. With dryRun nothing is written, and the output is the diff.",
  effect: "workspace",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: { type: "string", description: "Path of the file, relative to the root of the resource." },
      edits: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            oldText: { type: "string", minLength: 1, description: "Text to find; exactly once in the file." },
            newText: { type: "string", description: "Text to put in its place." },
          },
          required: ["oldText", "newText"],
          additionalProperties: false,
        },
      },
      dryRun: { type: "boolean", description: "Only show what would change, as a diff." },
      ...resourceProperty,
    },
    required: ["path", "edits"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = requiredText(input, "path");
    const workspace = context.workspace(textField(input, "resource"));
    const { bytes, node } = await workspace.readFile(path);
    const edits = editsOf(input.edits);
    let edited = Buffer.from(bytes);
    const budget = workBudget({
      maximum: maxPassedBytes,
      tooMuch: `The ${edits.length} edits pass over more than ${maxPassedBytes} bytes, the file's ${bytes.byteLength} once for each; make them in several calls, or with apply_patch.`,
      signal: context.signal,
    });
    budget.foresee(edits.length * bytes.byteLength);
    for (const [index, edit] of edits.entries()) {
      await budget.spend(edited.byteLength);
      edited = replaceOnce({ path, index, edit, bytes: edited });
    }
    if (input.dryRun === true) {
      const diff = fileDiff({
        path,
        before: { mode: node.mode, bytes },
        after: { mode: node.mode, bytes: edited },
      });
      return { output: diff.byteLength === 0 ? "The edits change nothing." : diff };
    }
    await workspace.writeFile(path, edited);
    const count = `${edits.length} ${edits.length === 1 ? "edit" : "edits"}`;
    return {
      output: `Made ${count} in ${quoted(path)} (${bytes.byteLength} bytes before, ${edited.byteLength} after).`,
    };
  },
};

interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

const editsOf = (edits: unknown): readonly Edit[] =>
  (Array.isArray(edits) ? edits : []).map((edit: Readonly<Record<string, unknown>>) => ({
    oldText: requiredText(edit, "oldText"),
    newText: requiredText(edit, "newText"),
  }));

const replaceOnce = (options: {
  readonly path: string;
  readonly index: number;
  readonly edit: Edit;
  readonly bytes: Buffer<ArrayBuffer>;
}): Buffer<ArrayBuffer> => {
  const { path, index, edit, bytes } = options;
  const field = `/edits/${index}/oldText`;
  const old = Buffer.from(utf8Bytes(edit.oldText, field));
  // Overlapping places count: where two fit, which one is meant is open.
  const { count, first } = occurrences(bytes, old);
  if (count === 0) {
    throw new ToolError({
      code: "edit_no_match",
      message: `The input's ${field} does not occur in ${quoted(path)}${lineEndHint(bytes, edit.oldText)}; read the file and copy the text exactly.`,
      details: { field, path, occurrences: count },
    });
  }
  if (count > 1) {
    throw new ToolError({
      code: "edit_ambiguous",
      message: `The input's ${field} occurs ${count} times in ${quoted(path)}; it must occur exactly once: add lines around it.`,
      details: { field, path, occurrences: count },
    });
  }
  return Buffer.concat([
    bytes.subarray(0, first),
    utf8Bytes(edit.newText, `/edits/${index}/newText`),
    bytes.subarray(first + old.length),
  ]);
};

const lineEndHint = (bytes: Buffer, oldText: string): string => {
  const crlf = Buffer.from(oldText.replace(/\r?\n/g, "\r\n"));
  const lf = Buffer.from(oldText.replaceAll("\r\n", "\n"));
  if (occurrences(bytes, crlf).count > 0) return " with these line ends (the file has CRLF there)";
  return occurrences(bytes, lf).count > 0 ? " with these line ends (the file has LF there)" : "";
};
