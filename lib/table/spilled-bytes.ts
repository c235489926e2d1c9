import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { optionalBytes, optionalText } from "./item-attributes.ts";
import { damagedItem, type TableItem } from "./table-item.ts";

/** The tenant's content, where bytes lie that are too large for an item. */
export type ContentOfTenant = (tenant: string) => ContentStore;

/** An item is at most 400 KB, keys and further attributes included. */
export const spillAboveBytes = 300_000;

/**
 * The attributes that hold `bytes`: `b` has them, or `h` their address in the tenant's content, which is written first, so
 * that a crash in between leaves content without a reference and never a reference without content (F6).
 */
export async function spillBytes(
  bytes: Uint8Array,
  options: { readonly content: ContentStore; readonly aboveBytes: number },
): Promise<TableItem> {
  if (bytes.byteLength <= options.aboveBytes) return { b: bytes };
  const [sha256] = await options.content.put([bytes]);
  if (sha256 === undefined) {
    throw new InfrastructureError({ code: "internal", message: "The content store named no hash." });
  }
  return { h: sha256 };
}

/** The bytes that `spillBytes` put behind an item. */
export async function unspillBytes(item: TableItem, content: ContentStore): Promise<Uint8Array> {
  const inline = optionalBytes(item, "b");
  if (inline !== undefined) return inline;
  const sha256 = optionalText(item, "h");
  const bytes = sha256 === undefined ? undefined : await content.get(sha256);
  if (bytes !== undefined) return bytes;
  throw damagedItem(item, `its bytes${sha256 === undefined ? "" : ` (content ${sha256})`} are gone`);
}
