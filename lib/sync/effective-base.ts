import type { SyncBase, SyncIntent } from "./sync-base-store.ts";
import type { BaseState, LocalState, RemoteState } from "./sync-state.ts";

export const unknownBase: SyncBase = { base: { kind: "unknown" }, intents: [] };

/**
 * The base in the light of what both sides hold. A write that was begun and stands where it was to stand has been agreed on. A
 * base that names another server id is of another life of the server's data, and worth nothing.
 */
export function effectiveBase(
  { base: noted, intents }: SyncBase,
  sides: { readonly local: LocalState; readonly remote: RemoteState },
): BaseState {
  const { local, remote } = sides;
  const base = broughtHere(intents, local) ?? noted;
  if (remote.kind === "never") return base;
  const { serverId, version, contentSha256 } = remote;
  const landed = intents.some((intent) =>
    intent.kind === "absent"
      ? remote.kind === "tombstone"
      : intent.kind === "content" && remote.kind === "live" && intent.contentSha256 === contentSha256,
  );
  if (landed) {
    return remote.kind === "tombstone"
      ? { kind: "absent" }
      : { kind: "content", serverId, version, contentSha256 };
  }
  return base.kind === "content" && base.serverId !== serverId ? unknownBase.base : base;
}

/** What the server held when it was written here, or deleted here after it; whatever the server holds by now. */
function broughtHere(intents: readonly SyncIntent[], local: LocalState): BaseState | undefined {
  for (const intent of intents) {
    if (intent.kind === "removed" && local.kind === "absent") return { kind: "absent" };
    if (
      intent.kind === "pulled" &&
      local.kind === "content" &&
      intent.contentSha256 === local.contentSha256
    ) {
      return { ...intent, kind: "content" };
    }
  }
  return undefined;
}
