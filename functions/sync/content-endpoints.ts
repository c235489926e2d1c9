import { jsonReply } from "#lib/api/api-reply.ts";
import * as routes from "#lib/api/content-routes.ts";
import { directoryWire } from "#lib/api/directory-wire.ts";
import { type Endpoint, endpoint, parameter } from "#lib/api/endpoint.ts";
import { maxUploadBytes } from "#lib/content/upload-limit.ts";
import { NotFoundError, ValidationError } from "#lib/errors/planledger-error.ts";
import type { ContentQuota } from "#lib/quota/content-quota.ts";
import { loadContent } from "#lib/service/load-content.ts";
import { storePack } from "#lib/service/store-pack.ts";
import type { StoresOf } from "#lib/service/tenant-stores.ts";
import { emptyDirectory, emptyTree } from "#lib/tree/empty-tree.ts";
import { contentReply } from "../content-reply.ts";

const missingMaximum = 5000;

/** Content and directories of the caller's tenant, by hash. */
export const contentEndpoints = ({
  storesOf,
  quota,
}: {
  readonly storesOf: StoresOf;
  readonly quota: ContentQuota;
}): readonly Endpoint[] => [
  endpoint(routes.findMissingContent, async ({ caller, body }) => {
    const count = body.contents.length + body.directories.length;
    if (count > missingMaximum) {
      throw new ValidationError({
        code: "limit_exceeded",
        field: body.contents.length >= body.directories.length ? "/contents" : "/directories",
        message: `The request asks for ${count} hashes; up to ${missingMaximum} are answered at once.`,
        details: { limit: missingMaximum, found: count },
      });
    }
    const { content, trees } = storesOf(caller.tenant);
    const [contents, directories] = await Promise.all([
      content.missing(body.contents),
      trees.missing(body.directories.filter((sha256) => sha256 !== emptyTree.sha256)),
    ]);
    return jsonReply(200, { contents, directories });
  }),
  endpoint(routes.putContentPack, async ({ caller, body }) => {
    const bytes = body.contents.reduce((sum, text) => sum + Buffer.byteLength(text, "base64"), 0);
    await quota.admit({ tenant: caller.tenant, bytes });
    return jsonReply(200, await storePack(storesOf(caller.tenant), body));
  }),
  endpoint(routes.startContentUpload, async ({ caller, body }) => {
    if (body.sizeBytes > maxUploadBytes) {
      throw new ValidationError({
        code: "limit_exceeded",
        field: "/sizeBytes",
        message: `Content may have up to ${maxUploadBytes} bytes.`,
        details: { limit: maxUploadBytes, found: body.sizeBytes },
      });
    }
    await quota.admit({ tenant: caller.tenant, bytes: body.sizeBytes });
    const target = await storesOf(caller.tenant).transfer.uploadTarget(body);
    return jsonReply(200, {
      url: target.url,
      headers: target.headers,
      expiresAt: new Date(target.expiresAtEpochMs).toISOString(),
    });
  }),
  endpoint(routes.readDirectory, async (request) => {
    const sha256 = hashParameter(request);
    if (sha256 === emptyTree.sha256) return jsonReply(200, directoryWire(emptyDirectory));
    return jsonReply(200, directoryWire(await storesOf(request.caller.tenant).trees.get(sha256)));
  }),
  endpoint(routes.readContent, async (request) => {
    const sha256 = hashParameter(request);
    const stores = storesOf(request.caller.tenant);
    const bytes = await loadContent(stores, sha256);
    if (bytes === undefined) throw contentNotFound(sha256);
    return contentReply(stores, { sha256, bytes });
  }),
];

const contentNotFound = (sha256: string): NotFoundError =>
  new NotFoundError({ code: "not_found", message: `There is no content ${sha256}.`, details: { sha256 } });

const hashParameter = (request: { readonly parameters: Readonly<Record<string, string>> }): string => {
  const sha256 = parameter(request, "sha256");
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw contentNotFound(sha256);
  return sha256;
};
