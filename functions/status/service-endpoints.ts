import { jsonReply } from "#lib/api/api-reply.ts";
import { type Endpoint, openEndpoint } from "#lib/api/endpoint.ts";
import { readHealth, readOpenApi, readVersion } from "#lib/api/service-routes.ts";

/** What the service says of itself, without a token. */
export const serviceEndpoints = (service: { readonly version: string }): readonly Endpoint[] => [
  openEndpoint(readHealth, async () => jsonReply(200, { status: "ok" })),
  openEndpoint(readVersion, async () =>
    jsonReply(200, { name: "planledger", version: service.version, api: "v1" }),
  ),
  openEndpoint(readOpenApi, async () => {
    // Asked for seldom, and large: loaded then.
    const [{ openApiDocument }, { routes }] = await Promise.all([
      import("#lib/api/openapi.ts"),
      import("#lib/api/routes.ts"),
    ]);
    return jsonReply(200, await openApiDocument(routes, service.version));
  }),
];
