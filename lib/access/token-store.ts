export const scopes = [
  "plans:read",
  "plans:write",
  "plans:approve",
  "resources:read",
  "resources:write",
  "webhooks:write",
  "tokens:write",
  // Speak for others: whoever has it can approve what they submit, under another name.
  "tokens:delegate",
] as const;
export type Scope = (typeof scopes)[number];

/** A token without its secret: `plt_<id>_<secret>` is shown once; `secretSha256` is compared in constant time. */
export interface TokenRecord {
  readonly v: 1;
  readonly id: string;
  readonly secretSha256: string;
  readonly tenant: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly createdAtEpochMs: number;
  readonly expiresAtEpochSeconds?: number;
  readonly revokedAtEpochMs?: number;
}

export interface TokenStore {
  /** Writes if there is none under this id; `false` otherwise. */
  create(token: TokenRecord): Promise<boolean>;
  get(id: string): Promise<TokenRecord | undefined>;
  /** Marks as revoked; `false` when the tenant has no such token. Revoking again keeps the first time. */
  revoke(key: { readonly tenant: string; readonly id: string; readonly atEpochMs: number }): Promise<boolean>;
  list(query: { readonly tenant: string; readonly limit: number; readonly cursor?: string }): Promise<{
    readonly tokens: readonly TokenRecord[];
    readonly cursor?: string;
  }>;
}
