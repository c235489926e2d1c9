import { type ActionRequest, actionRequest, planReference } from "../api/plan-requests.ts";
import { validated } from "../api/validated.ts";
import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { parsePlanDocument } from "../plan/parse-plan-document.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { contentMissing, loadContent } from "./load-content.ts";
import type { TenantStores } from "./tenant-stores.ts";

/** The request for a plan of an action that a submission's body is, where it is one. */
export const submittedActionRequest = (body: unknown): ActionRequest | undefined =>
  has(body, "action") ? validated(actionRequest, body) : undefined;

/** The plan document in a submission's body, or the one that the body refers to by its hash. */
export const submittedDocument = async (
  stores: Pick<TenantStores, "content" | "transfer">,
  body: unknown,
): Promise<PlanDocument> => {
  if (!has(body, "contentSha256")) return parsePlanDocument(body);
  const { contentSha256 } = validated(planReference, body);
  const bytes = await loadContent(stores, contentSha256);
  if (bytes === undefined) {
    throw contentMissing("/contentSha256", { contents: [contentSha256], directories: [] });
  }
  return parsePlanDocument(parseStrictJson(bytes));
};

const has = (body: unknown, member: string): boolean =>
  typeof body === "object" && body !== null && Object.hasOwn(body, member);
