import { ToolError } from "../tool-error.ts";

/** UTF-8 of a text of the input; a lone surrogate has none and is `input_invalid`, never silently replaced. */
export const utf8Bytes = (text: string, field: string): Uint8Array => {
  if (text.isWellFormed()) return Buffer.from(text);
  throw new ToolError({
    code: "input_invalid",
    message: `The input's ${field} holds a lone surrogate, which has no UTF-8 form; pass bytes as base64.`,
    details: { field },
  });
};

/** Bytes of a base64 text: standard alphabet, padded, white space allowed. */
export const base64Bytes = (text: string, field: string): Uint8Array => {
  const packed = text.replace(/[\t\n\r ]+/g, "");
  const bytes = Buffer.from(packed, "base64");
  // Node skips what it cannot read; only the canonical text comes back the same.
  if (bytes.toString("base64") === packed) return bytes;
  throw new ToolError({
    code: "input_invalid",
    message: `The input's ${field} is no base64 (standard alphabet, padded with =).`,
    details: { field },
  });
};
