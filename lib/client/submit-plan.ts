import { createHash } from "node:crypto";
import type { AcceptedReply } from "../api/plan-replies.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { planLimits } from "../plan/plan-limits.ts";
import type { ContentClient } from "./content-client.ts";
import type { PlansClient } from "./plans-client.ts";

/** A pack's body is 4 MiB of JSON around base64; what does not fit goes up by a URL of its own. */
const largestPackedBytes = 2_900_000;

/** Submits inline what a body may hold; a larger document goes up as content first and is named by its hash. */
export async function submitPlan(
  { submit, content }: { readonly submit: PlansClient["submit"]; readonly content: ContentClient },
  request: {
    readonly planId: string;
    readonly plan: Readonly<Record<string, unknown>>;
    readonly signal?: AbortSignal;
  },
): Promise<AcceptedReply> {
  const { planId, plan } = request;
  if (typeof plan !== "object" || plan === null || Array.isArray(plan)) {
    throw new ValidationError({
      field: "plan",
      message: "plan must be a plan document, an object with `decisions`",
    });
  }
  const signal = request.signal === undefined ? {} : { signal: request.signal };
  const bytes = Buffer.from(JSON.stringify(plan));
  if (bytes.length <= planLimits.inlineBodyBytes) return submit({ planId, plan, ...signal });

  const contentSha256 = createHash("sha256").update(bytes).digest("hex");
  const lacking = await content.missing({ contents: [contentSha256], directories: [] }, request.signal);
  if (lacking.contents.length > 0) {
    if (bytes.length <= largestPackedBytes) {
      await content.sendPack({ contents: [bytes.toString("base64")], directories: [] }, request.signal);
    } else {
      await content.upload({ sha256: contentSha256, bytes, signal: request.signal });
    }
  }
  return submit({ planId, plan: { contentSha256 }, ...signal });
}
