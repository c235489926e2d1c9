import type * as z from "zod/mini";
import { PlanledgerError } from "../errors/planledger-error.ts";
import type { HttpReply } from "./http-transport.ts";

/**
 * The reply's JSON under its schema. Members that this version does not know are left out, so that an older client works
 * with a newer service; anything else that does not fit is an error `internal` that names the place.
 */
export function parsedReply<Schema extends z.ZodMiniType>(
  schema: Schema,
  reply: HttpReply,
  what: string,
): z.output<Schema> {
  const value = parsedJson(reply, what);
  for (;;) {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues.find((found) => found.code !== "unrecognized_keys");
    if (issue === undefined && removeUnrecognized(value, parsed.error.issues)) continue;
    const place = issue === undefined ? "members" : issue.path.join(".") || "(root)";
    throw new PlanledgerError({
      code: "internal",
      message: `the service's reply to ${what} does not have the shape this client knows (${place}: ${issue?.message ?? "not known"}); client and service may be of different versions (\`planledger --version\`, GET /v1/version)`,
      details: { status: reply.status },
      cause: parsed.error,
    });
  }
}

function parsedJson(reply: HttpReply, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(reply.bytes));
  } catch (cause) {
    throw new PlanledgerError({
      code: "internal",
      message: `the service's reply to ${what} is not JSON; is that the address of a Planledger service?`,
      details: { status: reply.status },
      cause,
    });
  }
}

/** Removes unknown members in place; `false` when that changed nothing. */
function removeUnrecognized(root: unknown, issues: readonly z.core.$ZodIssue[]): boolean {
  let removed = false;
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") continue;
    let holder: unknown = root;
    for (const step of issue.path) {
      holder = typeof holder === "object" && holder !== null ? Reflect.get(holder, step) : undefined;
    }
    if (typeof holder !== "object" || holder === null) continue;
    for (const key of issue.keys) removed = Reflect.deleteProperty(holder, key) || removed;
  }
  return removed;
}
