import { ValidationError } from "../errors/planledger-error.ts";
import { strictJsonReader } from "./strict-json-reader.ts";

export const defaultMaxJsonDepth = 64;

/**
 * Parses JSON that somebody else wrote, without losing anything on the way. Takes exactly what RFC 8259 allows in UTF-8, and
 * of that refuses what two readers could understand differently: keys that stand twice in an object, lone surrogates,
 * numbers beyond the range in which integers are exact, and keys that reach for prototypes (`validation_failed`); what
 * lies deeper than `maxDepth` levels is `limit_exceeded`. Whatever is no JSON at all is `malformed_json`. Every refusal is a
 * `ValidationError` whose `field` is a JSON pointer and whose message and details name line and column, counted from 1.
 * Takes time linear in the text.
 */
export function parseStrictJson(
  source: string | Uint8Array,
  options: { readonly maxDepth?: number } = {},
): unknown {
  const text = typeof source === "string" ? source : decodeUtf8(source);
  return strictJsonReader(text, options.maxDepth ?? defaultMaxJsonDepth).readDocument();
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ValidationError({
      code: "malformed_json",
      field: "",
      message: "The JSON text is not valid UTF-8. Send it encoded as UTF-8.",
      cause,
    });
  }
}
