import { ValidationError } from "../errors/planledger-error.ts";
import type { ResourceKind } from "../resource/resource-store.ts";
import { itemContentSha256 } from "./item-content.ts";
import type { LocalEntry, LocalFault } from "./local-items.ts";
import { parseSyncItem, type SyncItem } from "./sync-item.ts";

export type LocalReading =
  | { readonly status: "item"; readonly entry: LocalEntry; readonly item: SyncItem }
  | { readonly status: "fault"; readonly fault: LocalFault };

/** One document of the local side as an entry, or as a fault that names the item and the field. */
export function readLocalItem(
  kind: ResourceKind,
  { place, document }: { readonly place: string; readonly document: unknown },
): LocalReading {
  const parsed = parseSyncItem(document);
  if (parsed.kind === "invalid") {
    const { field, reason } = parsed;
    const id = field === "id" ? undefined : textMember(document, "id");
    const item = id ?? textMember(document, "name") ?? place;
    const fault = { kind, item: item === place ? item : `${item} (${place})`, reason, field };
    return { status: "fault", fault: id === undefined ? fault : { ...fault, id: id.normalize("NFC") } };
  }
  const { item, serverId } = parsed;
  const { id, version } = item;
  try {
    const contentSha256 = itemContentSha256(item);
    const entry = { kind, id: ownText(id), place, version: ownText(version), contentSha256 };
    const known = serverId === undefined ? {} : { serverId: ownText(serverId) };
    return { status: "item", item, entry: { ...entry, ...known } };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { field, message: reason } = error;
    return { status: "fault", fault: { kind, item: `${id} (${place})`, id, reason, field } };
  }
}

/** A text that is a piece of a longer one keeps all of that in memory, and entries outlive their documents. */
const ownText = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

function textMember(document: unknown, member: string): string | undefined {
  if (typeof document !== "object" || document === null) return undefined;
  const value: unknown = Reflect.get(document, member);
  return typeof value === "string" && value !== "" ? value : undefined;
}
