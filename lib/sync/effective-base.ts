import type { SyncBase } from "./sync-base-store.ts";
import type { BaseState, RemoteState } from "./sync-state.ts";

export const unknownBase: SyncBase = { base: { kind: "unknown" }, intents: [] };

/**
 * The base in the light of what the server holds. A write that was begun and stands there has been agreed on. A base that
 * names another server id is of another life of the server's data, and worth nothing.
 */
export function effectiveBase({ base, intents }: SyncBase, remote: RemoteState): BaseState {
  if (remote.kind === "never") return base;
  const { serverId, version, contentSha256 } = remote;
  const landed = intents.some((intent) =>
    intent.kind === "absent"
      ? remote.kind === "tombstone"
      : remote.kind === "live" && intent.contentSha256 === contentSha256,
  );
  if (landed) {
    return remote.kind === "tombstone"
      ? { kind: "absent" }
      : { kind: "content", serverId, version, contentSha256 };
  }
  return base.kind === "content" && base.serverId !== serverId ? unknownBase.base : base;
}
