import { partItem } from "../../resource/item-definition.ts";
import { parseToolDefinition } from "./parse-tool-definition.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** The definition in a synced tool as the sync carries it. Throws as `parseToolDefinition` does. */
export const toolDefinitionOfItem = (item: unknown): ToolDefinition => {
  const { id, version, definition } = partItem(item);
  if (id === undefined && version === undefined) return parseToolDefinition(definition);
  const { _meta = {}, ...rest } = definition;
  if (typeof _meta !== "object" || _meta === null || Array.isArray(_meta))
    return parseToolDefinition(definition);
  return parseToolDefinition({
    ...rest,
    _meta: {
      ..._meta,
      ...(id === undefined ? {} : { id }),
      ...(version === undefined ? {} : { version }),
    },
  });
};
