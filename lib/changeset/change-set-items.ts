import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as z from "zod/mini";
import type { ContentStore } from "../content/content-store.ts";
import { optionalBytes, requireVersion, textAttribute } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import { spillBytes, unspillBytes } from "../table/spilled-bytes.ts";
import type { TableItem } from "../table/table-item.ts";
import { changeEntrySchema } from "./change-entry-schema.ts";
import type { DecisionChanges } from "./change-set-store.ts";
import type { PositionRanges } from "./position-ranges.ts";

/** What a changeset's head says. A sealed one fixes which positions the changeset holds. */
export type ChangesetHead =
  | { readonly state: "open"; readonly planId: string }
  | { readonly state: "sealing"; readonly planId: string; readonly digest: string }
  | {
      readonly state: "sealed";
      readonly planId: string;
      readonly digest: string;
      readonly positions: PositionRanges;
    };

const storedPositions = z.array(z.tuple([z.int(), z.int()]));
const storedState = z.enum(["open", "sealing", "sealed"]);
const storedDecision = z.object({ decisionId: z.string(), entries: z.array(changeEntrySchema) });

const decisionDictionary =
  '"before":null,"after":null"kind":"create"modify"delete"mode"type"100755"120000"' +
  '{"decisionId":"d1","entries":[{"decisionId":"d1","callOrdinal":0,"resource":"app","path":"src/","kind":"modify",' +
  '"before":{"sha256":"","sizeBytes":1,"mode":"100644","gitBlobId":""},"after":{"sha256":"","sizeBytes":1,"mode":"100644","gitBlobId":""}},';

export function encodeHead(head: ChangesetHead): TableItem {
  return {
    v: 1,
    st: head.state,
    p: head.planId,
    dg: head.state === "open" ? undefined : head.digest,
    ps: head.state === "sealed" ? JSON.stringify(head.positions) : undefined,
  };
}

export function decodeHead(item: TableItem): ChangesetHead {
  requireVersion(item, 1);
  const planId = textAttribute(item, "p");
  const state = storedState.parse(textAttribute(item, "st"));
  if (state === "open") return { state, planId };
  const digest = textAttribute(item, "dg");
  if (state === "sealing") return { state, planId, digest };
  return { state, planId, digest, positions: storedPositions.parse(JSON.parse(textAttribute(item, "ps"))) };
}

export function encodeDecision({ decisionId, entries }: DecisionChanges): Uint8Array {
  return packJson({ decisionId, entries }, decisionDictionary);
}

export function decodeDecision(bytes: Uint8Array): Pick<DecisionChanges, "decisionId" | "entries"> {
  return unpackJson(bytes, { dictionary: decisionDictionary, schema: storedDecision });
}

/** Content compressed (`z`) where that makes it smaller; what is still too large for an item lies in the content store. */
export async function encodeContent(
  bytes: Uint8Array,
  options: { readonly content: ContentStore; readonly aboveBytes: number },
): Promise<TableItem> {
  const compressed = zstdCompressSync(bytes);
  if (compressed.byteLength < bytes.byteLength && compressed.byteLength <= options.aboveBytes) {
    return { v: 1, z: compressed };
  }
  return { v: 1, ...(await spillBytes(bytes, options)) };
}

export async function decodeContent(item: TableItem, content: ContentStore): Promise<Uint8Array> {
  requireVersion(item, 1);
  const compressed = optionalBytes(item, "z");
  const bytes = compressed === undefined ? await unspillBytes(item, content) : zstdDecompressSync(compressed);
  return new Uint8Array(bytes);
}
