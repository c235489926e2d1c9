import { syncLimits } from "../api/sync-requests.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import type { SyncItem } from "./sync-item.ts";

/** Bytes of an item as JSON; more than the service takes is a `ValidationError` (`limit_exceeded`). */
export function checkItemSize(item: SyncItem): number {
  const sizeBytes = Buffer.byteLength(JSON.stringify(item));
  if (sizeBytes <= syncLimits.itemBytes) return sizeBytes;
  throw new ValidationError({
    code: "limit_exceeded",
    field: "",
    message: `The item has ${sizeBytes} bytes as JSON; up to ${syncLimits.itemBytes} are allowed.`,
    details: { limit: syncLimits.itemBytes, found: sizeBytes },
  });
}
