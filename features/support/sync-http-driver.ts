import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { itemReply } from "#lib/api/item-requests.ts";
import { uploadTree } from "#lib/client/upload-tree.ts";
import { httpSyncTransport } from "#lib/sync/http-sync-transport.ts";
import { httpDriver } from "./http-driver.ts";
import { ownNamespace } from "./own-namespace.ts";
import { planOfWrites } from "./plan-text.ts";
import type { ServiceAddress } from "./service-address.ts";
import type { SyncDriver } from "./sync-driver.ts";
import { workingCopyInMemory } from "./working-copy-in-memory.ts";

/** So many that the plan still runs when a scenario looks. */
const longPlan = 6000;

/** The service over HTTP by the public client, and a working copy in memory. */
export function syncHttpDriver(service: ServiceAddress): SyncDriver {
  const http = httpDriver(service);
  const { client } = http;
  const unique = randomUUID().slice(0, 8);
  const whole = httpSyncTransport({ client });
  const own = ownNamespace(whole, `f-${unique}-`);
  let running: string | undefined;

  const planOnProject = async () => {
    const { tree } = await uploadTree({ client, files: [] });
    const project = own.idThere("local/app");
    await client.projects.put(project, { tree });
    return { ...planOfWrites(1), projectResources: { app: { project } } };
  };

  return {
    transport: { ...whole, ...own },
    copy: workingCopyInMemory(),
    async revision({ kind, id, revision }) {
      const [namespace = "", name = ""] = own.idThere(id).split("/").map(encodeURIComponent);
      const path = `/v1/${kind}/${namespace}/${name}/revisions/${revision}`;
      const headers = { authorization: `Bearer ${service.token}` };
      const response = await fetch(`${service.url}${path}`, { headers });
      assert.equal(response.status, 200);
      return z.parse(itemReply, await response.json()).item;
    },
    async plan(name, state) {
      const planId = `${name}-${unique}`;
      switch (state) {
        case "not_submitted":
          return { planId, serverPlanId: "", digest: "", document: planOfWrites(1) };
        case "running": {
          const document = planOfWrites(longPlan);
          const { serverPlanId } = await http.submit({ planId, document });
          running = planId;
          await http.waitUntil(({ phase }) => phase === "running");
          return { planId, serverPlanId, digest: "", document };
        }
        case "sealed": {
          const document = await planOnProject();
          await http.execute({ planId, document });
          const { serverPlanId, digest } = await http.status();
          assert.ok(digest, "the plan is not sealed");
          return { planId, serverPlanId, digest, document };
        }
        default:
          return state satisfies never;
      }
    },
    async close() {
      if (running !== undefined) await client.cancel({ planId: running });
    },
  };
}
