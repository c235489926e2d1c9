/** Bytes in a JSON document: as text where they are well-formed UTF-8, else in base64. */
export function byteJson(
  bytes: Uint8Array,
):
  | { readonly encoding: "utf8"; readonly text: string }
  | { readonly encoding: "base64"; readonly text: string } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { encoding: "utf8", text };
  } catch {
    return { encoding: "base64", text: Buffer.from(bytes).toString("base64") };
  }
}
