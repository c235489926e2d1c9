import * as z from "zod/mini";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { PinnedTool } from "../plan/compiled-plan.ts";
import { type ToolDefinition, toolDefinition } from "../tools/external/tool-definition.ts";

/** The definition that a plan pinned, read back. */
export const pinnedDefinition = ({ id, definition }: PinnedTool): ToolDefinition => {
  const parsed = z.safeParse(toolDefinition, definition);
  if (parsed.success) return parsed.data;
  throw new InfrastructureError({
    code: "internal",
    message: `The pinned definition of the tool ${id} cannot be read back.`,
    cause: parsed.error,
  });
};
