/** What a route answers. `text` and `bytes` reach the caller byte for byte. */
export interface ApiReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body:
    | { readonly kind: "json"; readonly value: unknown; readonly contentType?: string }
    | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly contentType: string }
    | { readonly kind: "empty" };
}

/** A JSON reply. */
export const jsonReply = (
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): ApiReply => ({ status, body: { kind: "json", value }, ...(headers === undefined ? {} : { headers }) });
