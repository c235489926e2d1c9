import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import { automationProfiles } from "../plan/plan-document.ts";

const projectItem = z.looseObject({
  tree: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  settings: z.optional(z.record(z.string(), z.unknown())),
});

/** What a synced project says beside what every item does. Throws `ValidationError` with a pointer into the item. */
export const parseProjectItem = (item: unknown): z.output<typeof projectItem> => {
  const parsed = projectItem.safeParse(item);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path[0] === "settings" ? "settings" : "tree";
    const rule =
      field === "tree"
        ? "the SHA-256 of an uploaded root directory, 64 digits of lower-case hex"
        : "an object";
    throw new ValidationError({ field: `/${field}`, message: `/${field} must be ${rule}.` });
  }
  checkProjectSettings(parsed.data.settings);
  return parsed.data;
};

/** Settings are the caller's own, but for those that the service knows. */
export const checkProjectSettings = (settings: Readonly<Record<string, unknown>> | undefined): void => {
  const profile = settings?.leastStrictProfile;
  if (profile === undefined || automationProfiles.some((known) => known === profile)) return;
  throw new ValidationError({
    code: "unknown_profile",
    field: "/settings/leastStrictProfile",
    message: `/settings/leastStrictProfile must be one of ${automationProfiles.join(", ")}: the least strict automation profile that plans for this project may have.`,
    details: { allowed: automationProfiles },
  });
};
