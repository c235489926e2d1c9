import { canonicalSha256 } from "../canonical/canonical-json.ts";
import type { SyncItem } from "./sync-item.ts";

/**
 * SHA-256 of an item's content: its canonical form (RFC 8785) without server id, as `parseSyncItem` gives it. A name that is
 * the id's second part and empty metadata are left out, so that saying a default is no change. Client and service must come
 * to the same hash. Throws `ValidationError` for what has no canonical form, with a pointer to it.
 */
export function itemContentSha256(item: SyncItem): string {
  const { name, metadata, ...rest } = item;
  return canonicalSha256({
    ...rest,
    ...(name === defaultName(item.id) ? {} : { name }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  });
}

/** The name of an item that does not say one. */
export const defaultName = (id: string): string => id.slice(id.indexOf("/") + 1);
