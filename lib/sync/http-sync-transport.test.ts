import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as z from "zod/mini";
import { inMemoryClient } from "#functions/in-memory-client.testkit.ts";
import { inMemoryService } from "#functions/in-memory-service.testkit.ts";
import type { WrapHandler } from "#infra/local/run-topology.ts";
import { type EmbeddedService, startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { itemReply } from "../api/item-requests.ts";
import { type PlanledgerClient, planledgerClient } from "../client/planledger-client.ts";
import { httpSyncTransport } from "./http-sync-transport.ts";
import { PlanSyncClient } from "./plan-sync-client.ts";
import { type OpenedTransport, syncTransportContract } from "./sync-transport.contract.ts";

const revisionPath = (key: { readonly kind: string; readonly id: string; readonly revision: number }) =>
  `/v1/${key.kind}/${key.id.split("/").map(encodeURIComponent).join("/")}/revisions/${key.revision}`;

syncTransportContract("httpSyncTransport on the handlers in memory", (): OpenedTransport => {
  const service = inMemoryService();
  const { client } = inMemoryClient(service.send);
  return {
    transport: httpSyncTransport({ client }),
    revision: async (key) => z.parse(itemReply, (await service.send(revisionPath(key))).json()).item,
  };
});

/** What the gateway hands to a function behind the authorizer. */
const authorizedEvent = z.looseObject({
  headers: z.record(z.string(), z.string()),
  requestContext: z.looseObject({ authorizer: z.looseObject({ lambda: z.looseObject({}) }) }),
});

/** Every test is a tenant of its own on one service: the one that a header of the test names. */
const tenantHeader = "x-test-tenant";
const withTenant: WrapHandler = (name, handler) =>
  name === "syncHttp"
    ? (event, context) => {
        const { headers, requestContext } = z.parse(authorizedEvent, event);
        const { authorizer } = requestContext;
        const lambda = { ...authorizer.lambda, tenant: headers[tenantHeader] };
        return handler(
          {
            ...z.parse(authorizedEvent, event),
            requestContext: { ...requestContext, authorizer: { lambda } },
          },
          context,
        );
      }
    : handler;

let service: EmbeddedService | undefined;
before(async () => {
  service = await startEmbeddedService({ port: 0, wrapHandler: withTenant });
});
after(() => service?.stop());

const noPlan = () => Promise.reject(new Error("this is about items"));
const noPlans = { executePlan: noPlan, applyPlan: noPlan, planStatus: noPlan };

let tenants = 0;
const openEmbedded = (): OpenedTransport => {
  if (service === undefined) throw new Error("the service runs only while the tests do");
  const { url, token } = service;
  const headers = { [tenantHeader]: `tenant-${++tenants}` };
  const client: PlanledgerClient = planledgerClient({
    url,
    token,
    fetch: (input, init) => {
      const own = new Headers(init?.headers);
      for (const [name, value] of Object.entries(headers)) own.set(name, value);
      return fetch(input, { ...init, headers: own });
    },
  });
  return {
    transport: httpSyncTransport({ client }),
    revision: async (key) => {
      const reply = await fetch(url + revisionPath(key), {
        headers: { ...headers, authorization: `Bearer ${token}` },
      });
      return z.parse(itemReply, await reply.json()).item;
    },
  };
};
syncTransportContract("httpSyncTransport on the embedded service", openEmbedded);

test("items of all kinds go up over the wire in batches, once; then nothing is written, and one request tells so", async () => {
  const { transport } = openEmbedded();
  const sync = new PlanSyncClient({ transport: { ...transport, ...noPlans } });
  const numbered = (prefix: string) =>
    Array.from({ length: 51 }, (_, index) => ({
      ...{ id: `local/${prefix}${index}`, name: `${prefix}${index}`, version: "1", metadata: {} },
      description: `number ${index}`,
    }));
  const items = {
    actions: numbered("a"),
    skills: numbered("s"),
    tools: numbered("t"),
    projects: numbered("p"),
  };
  const first = await sync.syncAll(items);
  assert.deepEqual([first.total.created, first.total.errors], [204, []]);
  assert.equal(first.total.requests, 5);
  const second = await sync.syncAll(items);
  assert.deepEqual([second.total.skipped, second.total.writes, second.total.requests], [204, 0, 1]);
});
