import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import { validationErrorOf, validationIssues } from "../errors/validation-issue.ts";
import type { ResourceKind } from "../resource/resource-store.ts";
import type { SyncItem } from "./sync-item.ts";

/** What a skill says in the Agent Skills format; further members are its author's own. */
const skillDefinition = z.looseObject({
  description: z.optional(z.string().check(z.maxLength(64 * 1024))),
  instructions: z.optional(z.string()),
});

/**
 * Holds an item to the rules of its kind. An item that does not say yet what its kind is for (an action without a plan, a tool
 * without `run`, as an MCP server lists it) is taken as it is: whoever uses it is told what it lacks. Throws
 * `ValidationError` whose `field` is a JSON pointer into the item. Whether a project's tree was uploaded is not asked here.
 */
export const checkItem = async (kind: ResourceKind, item: SyncItem): Promise<void> => {
  switch (kind) {
    case "actions": {
      if (!Object.hasOwn(item, "plan")) return;
      const { actionDefinitionOfItem } = await import("../resource/action-definition.ts");
      actionDefinitionOfItem(item);
      return;
    }
    case "tools": {
      if (!Object.hasOwn(item, "run")) return;
      const { toolDefinitionOfItem } = await import("../tools/external/tool-item.ts");
      toolDefinitionOfItem(item);
      return;
    }
    case "skills": {
      const parsed = skillDefinition.safeParse(item);
      if (!parsed.success)
        throw validationErrorOf(validationIssues(parsed.error.issues, { value: item }), 20);
      return;
    }
    case "projects": {
      const { parseProjectItem } = await import("../resource/project-item.ts");
      parseProjectItem(item);
      return;
    }
    default:
      kind satisfies never;
  }
};

/** An item's document, parsed by `parseSyncItem`, failed its first rule. */
export const invalidItem = ({ field, reason }: { readonly field: string; readonly reason: string }) =>
  new ValidationError({
    field: field === "" ? "" : `/${field}`,
    message: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
  });
