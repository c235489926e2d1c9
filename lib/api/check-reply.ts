import * as z from "zod/mini";
import { PlanledgerError } from "../errors/planledger-error.ts";
import type { ApiReply } from "./api-reply.ts";
import type { Route } from "./route.ts";

/** Holds a reply to its route: status, kind of body, and the schema of a JSON one. A breach is a fault of ours. */
export const checkReply = async (route: Route, reply: ApiReply): Promise<void> => {
  const shape = route.replies[reply.status];
  const breach = (what: string) =>
    new PlanledgerError({ code: "internal", message: `${route.id} answered ${reply.status} ${what}.` });
  if (shape === undefined) throw breach("which its route does not list");
  if (shape.kind !== reply.body.kind) throw breach(`with ${reply.body.kind} in place of ${shape.kind}`);
  if (shape.kind === "json" && reply.body.kind === "json") {
    const result = z.safeParse(await shape.schema(), JSON.parse(JSON.stringify(reply.body.value)));
    if (!result.success) throw breach(`with a body that breaks its schema: ${result.error.message}`);
  }
};
