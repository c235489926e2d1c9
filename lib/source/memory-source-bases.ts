import type { SyncBaseChange } from "../sync/sync-base-store.ts";
import { syncKeyText } from "../sync/sync-key-text.ts";
import { type SourceBases, SourceFenceLost } from "./source-bases.ts";
import type { SourcePlace } from "./source-run-store.ts";

interface Known {
  readonly bases: Map<string, { readonly run: number; readonly change: SyncBaseChange }>;
  readonly documents: Map<string, string>;
}

export function memorySourceBases(): SourceBases {
  const places = new Map<string, Known>();
  const at = ({ tenant, sourceId }: SourcePlace): Known => {
    const key = JSON.stringify([tenant, sourceId]);
    const known = places.get(key) ?? { bases: new Map(), documents: new Map() };
    places.set(key, known);
    return known;
  };
  return {
    of: (place, run) => ({
      load: async () => structuredClone([...at(place).bases.values()].map(({ change }) => change)),
      async save(changes) {
        const { bases } = at(place);
        for (const change of changes) {
          const standing = bases.get(syncKeyText(change));
          if (standing !== undefined && standing.run > run) throw new SourceFenceLost();
          bases.set(syncKeyText(change), { run, change: structuredClone(change) });
        }
      },
    }),
    documents: async (place) => new Map(at(place).documents),
    async rememberDocuments(place, contentSha256s) {
      for (const [sha256, contentSha256] of contentSha256s) at(place).documents.set(sha256, contentSha256);
    },
  };
}
