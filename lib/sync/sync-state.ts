/** Content as an item's author versioned it. */
export interface VersionedContent {
  readonly version: string;
  readonly contentSha256: string;
}

/** What both sides last agreed on. `absent`: on its deletion; `unknown`: the two have not met as far as is known here. */
export type BaseState =
  | { readonly kind: "unknown" }
  | { readonly kind: "absent" }
  | ({ readonly kind: "content"; readonly serverId: string } & VersionedContent);

export type LocalState = { readonly kind: "absent" } | ({ readonly kind: "content" } & VersionedContent);

/** `tombstone`: deleted; version and hash are those of what was deleted. `never`: the server knows nothing of it. */
export type RemoteState =
  | { readonly kind: "never" }
  | ({
      readonly kind: "live" | "tombstone";
      readonly serverId: string;
      readonly revision: number;
    } & VersionedContent);
