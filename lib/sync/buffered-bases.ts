import { isDeepStrictEqual } from "node:util";
import { unknownBase } from "./effective-base.ts";
import type { SyncBase, SyncBaseChange, SyncBaseStore, SyncIntent } from "./sync-base-store.ts";
import { syncKeyText } from "./sync-key-text.ts";
import type { BaseState } from "./sync-state.ts";
import type { SyncKey } from "./sync-transport.ts";

/** The bases of a run: all at hand, changes gathered until `flush` saves them together. What did not change is not saved. */
export interface BufferedBases {
  /** `unknownBase` itself when nothing is known. */
  of(key: SyncKey): SyncBase;
  readonly keys: readonly SyncKey[];
  /** The base from now on; intents are done with. */
  settle(key: SyncKey, base: BaseState): void;
  /** Must be flushed before the write that it announces. */
  intend(key: SyncKey, intent: SyncIntent): void;
  flush(): Promise<void>;
}

export async function bufferedBases(store: SyncBaseStore): Promise<BufferedBases> {
  const loaded = await store.load();
  const bases = new Map(loaded.map((change) => [syncKeyText(change), change.base]));
  const pending = new Map<string, SyncBaseChange>();

  const of = (key: SyncKey): SyncBase => bases.get(syncKeyText(key)) ?? unknownBase;
  const set = (key: SyncKey, base: SyncBase): void => {
    if (isDeepStrictEqual(of(key), base)) return;
    bases.set(syncKeyText(key), base);
    pending.set(syncKeyText(key), { kind: key.kind, id: key.id, base });
  };

  return {
    of,
    keys: loaded.map(({ kind, id }) => ({ kind, id })),
    settle: (key, base) => set(key, { base, intents: [] }),
    intend(key, intent) {
      const { base, intents } = of(key);
      if (intents.some((known) => isDeepStrictEqual(known, intent))) return;
      set(key, { base, intents: [...intents, intent] });
    },
    async flush() {
      if (pending.size === 0) return;
      const changes = [...pending.values()];
      pending.clear();
      await store.save(changes);
    },
  };
}
