import { jsonPointer } from "../../canonical/json-pointer.ts";
import { mapStrings } from "./secret-reference.ts";

/** Takes secrets out of whatever is about to be recorded. */
export interface Redaction {
  text(text: string): string;
  /**
   * The bytes with every secret replaced; of input that was cut off somewhere, the part that starts before `keepBytes`, for
   * which `lookaheadBytes` more must have been read: so no part of a secret is left at the end.
   */
  bytes(bytes: Uint8Array, keepBytes?: number): Uint8Array;
  /** The same of plain JSON, keys included. */
  json(value: unknown): unknown;
  readonly lookaheadBytes: number;
}

const replacement = "[redacted]";

/**
 * Redaction of some secrets in the forms in which another side may give them back: as they are, escaped for JSON,
 * as a step of a JSON pointer, percent-encoded (also as a form field), in hex, and in base64 (also base64url, and inside of a longer base64 text, where a
 * secret has three forms by its position).
 */
export const redaction = (secrets: Iterable<string>): Redaction => {
  const needles = [...new Set([...secrets].flatMap(forms))]
    .map((form) => Buffer.from(form).toString("latin1"))
    .sort((one, other) => other.length - one.length);
  // Bytes as latin1 text: one character a byte, so that any bytes can be searched and nothing is decoded.
  const pattern = needles.length === 0 ? undefined : new RegExp(needles.map(escaped).join("|"), "gi");

  const bytes = (whole: Uint8Array, keepBytes = whole.byteLength): Uint8Array => {
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("latin1");
    const parts: string[] = [];
    let from = 0;
    for (const match of pattern === undefined ? [] : text.matchAll(pattern)) {
      if (match.index >= keepBytes) break;
      parts.push(text.slice(from, match.index), replacement);
      from = match.index + match[0].length;
    }
    parts.push(text.slice(from, Math.max(from, keepBytes)));
    return Buffer.from(parts.join(""), "latin1");
  };
  const text = (value: string): string =>
    pattern === undefined ? value : Buffer.from(bytes(Buffer.from(value))).toString();
  const json = (value: unknown): unknown => {
    if (pattern === undefined) return value;
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== "object" || value === null) return mapStrings(value, text);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), json(member)]));
  };
  return { text, bytes, json, lookaheadBytes: needles[0]?.length ?? 0 };
};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

const forms = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret.toWellFormed());
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    json,
    json.replaceAll("/", "\\/"),
    jsonPointer([secret]).slice(1),
    json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    percent,
    encodeURI(secret.toWellFormed()),
    new URLSearchParams([["", secret]]).toString().slice(1),
    percentOfAll(bytes),
    bytes.toString("hex"),
    ...base64Forms(bytes),
  ].filter((form) => form.length >= 4);
};

const percentOfAll = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

/** With nothing, one or two bytes before it, without the characters that depend on what stands before and behind. */
const base64Forms = (bytes: Uint8Array): readonly string[] =>
  [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const ownBits = padded.byteLength * 8;
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(ownBits / 6);
    return (["base64", "base64url"] as const).map((encoding) => padded.toString(encoding).slice(first, last));
  });
