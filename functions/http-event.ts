import * as z from "zod/mini";
import { verdictFromContext } from "#lib/access/verdict-context.ts";
import type { ApiReply } from "#lib/api/api-reply.ts";
import type { ApiRequest } from "#lib/api/api-request.ts";

/** What is read of an API Gateway event, payload format 2.0. */
const httpEvent = z.object({
  rawPath: z.string(),
  queryStringParameters: z.optional(z.record(z.string(), z.optional(z.string()))),
  headers: z.optional(z.record(z.string(), z.optional(z.string()))),
  requestContext: z.object({
    requestId: z.string(),
    http: z.object({ method: z.string() }),
    authorizer: z.optional(z.object({ lambda: z.optional(z.unknown()) })),
  }),
  body: z.optional(z.string()),
  isBase64Encoded: z.boolean(),
});

/** The request in an event. Throws for what no gateway sends. */
export const requestOfEvent = (value: unknown): ApiRequest => {
  const event = z.parse(httpEvent, value);
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const [name, header] of Object.entries(event.headers ?? {})) headers[name.toLowerCase()] = header;
  const query: Record<string, string> = Object.create(null);
  for (const [name, text] of Object.entries(event.queryStringParameters ?? {})) query[name] = text ?? "";
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: { ...query },
    headers,
    body: Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8"),
    requestId: event.requestContext.requestId,
    verdict: verdictFromContext(event.requestContext.authorizer?.lambda),
  };
};

/** What a function gives back to the gateway. */
export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Up to this size JSON goes as text; as part of a result that is JSON itself it doubles at worst, base64 never does. */
const textMaximumBytes = 1024 * 1024;

/** JSON as text, or as base64 where it is large; bytes as base64, so that no gateway re-encodes them. Nothing of an answer may be cached. */
export const resultOfReply = ({ status, headers, body }: ApiReply): HttpResult => {
  const common = { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers };
  switch (body.kind) {
    case "json": {
      const text = JSON.stringify(body.value);
      const isBase64Encoded = Buffer.byteLength(text) > textMaximumBytes;
      return {
        statusCode: status,
        headers: { ...common, "content-type": body.contentType ?? "application/json" },
        body: isBase64Encoded ? Buffer.from(text).toString("base64") : text,
        isBase64Encoded,
      };
    }
    case "bytes":
      return {
        statusCode: status,
        headers: { ...common, "content-type": body.contentType },
        body: Buffer.from(body.bytes).toString("base64"),
        isBase64Encoded: true,
      };
    case "empty":
      return { statusCode: status, headers: common, body: "", isBase64Encoded: false };
  }
};
