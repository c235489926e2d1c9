import { planReference } from "../api/plan-requests.ts";
import { validated } from "../api/validated.ts";
import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { parsePlanDocument } from "../plan/parse-plan-document.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { contentMissing, loadContent } from "./load-content.ts";
import type { TenantStores } from "./tenant-stores.ts";

/** The plan document in a submission's body, or the one that the body refers to by its hash. */
export const submittedDocument = async (
  stores: Pick<TenantStores, "content" | "transfer">,
  body: unknown,
): Promise<PlanDocument> => {
  if (!isReference(body)) return parsePlanDocument(body);
  const { contentSha256 } = validated(planReference, body);
  const bytes = await loadContent(stores, contentSha256);
  if (bytes === undefined) {
    throw contentMissing("/contentSha256", { contents: [contentSha256], directories: [] });
  }
  return parsePlanDocument(parseStrictJson(bytes));
};

const isReference = (body: unknown): boolean =>
  typeof body === "object" && body !== null && Object.hasOwn(body, "contentSha256");
