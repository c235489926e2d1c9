import type * as z from "zod/mini";
import {
  directoryJson,
  missingReply,
  type missingRequest,
  packReply,
  type packRequest,
  uploadReply,
  type uploadRequest,
} from "../api/content-requests.ts";
import { directoryFrom } from "../api/directory-wire.ts";
import { contentSha256 } from "../content/content-state.ts";
import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import type { Directory } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { parsedReply } from "./parsed-reply.ts";

/** Content of the token's tenant by SHA-256. Replies are checked against the hash that was asked for. */
export interface ContentClient {
  missing(
    request: z.input<typeof missingRequest>,
    signal?: AbortSignal,
  ): Promise<z.output<typeof missingReply>>;
  /** Up to 4 MiB of body. */
  sendPack(request: z.input<typeof packRequest>, signal?: AbortSignal): Promise<z.output<typeof packReply>>;
  /** Asks for a place for one large content and puts the bytes there. */
  upload(request: {
    readonly sha256: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly signal?: AbortSignal | undefined;
  }): Promise<void>;
  /** Bytes of a content, hashed again; `NotFoundError` when the tenant has none under that hash. */
  get(sha256: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** One directory of a tree, hashed again. */
  directory(sha256: string, signal?: AbortSignal): Promise<Directory>;
}

export function contentClient(transport: HttpTransport): ContentClient {
  const post = <Schema extends z.ZodMiniType>(
    schema: Schema,
    request: { readonly what: string; readonly json: unknown; readonly signal?: AbortSignal | undefined },
  ) =>
    transport
      .send({
        method: "POST",
        path: path("v1", "content", request.what),
        body: { json: request.json },
        repeatable: true,
        signal: request.signal,
      })
      .then((reply) => parsedReply(schema, reply, `content ${request.what}`));

  return {
    missing: (json, signal) => post(missingReply, { what: "missing", json, signal }),
    sendPack: (json, signal) => post(packReply, { what: "packs", json, signal }),
    upload: async ({ sha256, bytes, signal }) => {
      const request: z.input<typeof uploadRequest> = { sha256, sizeBytes: bytes.length };
      const { url, headers } = await post(uploadReply, { what: "uploads", json: request, signal });
      await transport.sendElsewhere({
        method: "PUT",
        path: url,
        headers,
        body: { bytes },
        repeatable: true,
        signal,
      });
    },
    get: async (sha256, signal) => {
      const route = path("v1", "content", checkedSha256(sha256));
      const reply = await transport.send({
        method: "GET",
        path: route,
        repeatable: true,
        redirects: true,
        signal,
      });
      return verified(reply.bytes, sha256);
    },
    directory: async (sha256, signal) => {
      const route = path("v1", "content", "directories", checkedSha256(sha256));
      const reply = await transport.send({ method: "GET", path: route, repeatable: true, signal });
      const directory = directoryFrom(parsedReply(directoryJson, reply, "directory"));
      if (directoryRef(directory).sha256 !== sha256) throw damaged(sha256);
      return directory;
    },
  };
}

/** A hash as given by a caller, checked before anything is sent. */
export function checkedSha256(sha256: string): string {
  if (/^[0-9a-f]{64}$/.test(sha256)) return sha256;
  throw new ValidationError({ field: "sha256", message: "sha256 must be 64 lower-case hex digits" });
}

/** What came is what was asked for, whoever stood in between. */
export function verified(bytes: Uint8Array, sha256: string): Uint8Array {
  if (contentSha256(bytes) !== sha256) throw damaged(sha256);
  return bytes;
}

const damaged = (sha256: string) =>
  new PlanledgerError({
    code: "content_mismatch",
    message: `what the service sent for ${sha256} does not hash to it; the reply was damaged or changed on its way`,
    details: { sha256 },
  });
