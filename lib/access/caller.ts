import type { Scope } from "./token-store.ts";

/** Who sends a request: comes from the authorizer (or from a queue's configuration), never from the body. */
export interface Caller {
  readonly tenant: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  /** When the token ends, for what must not outlive it. */
  readonly expiresAtEpochSeconds?: number;
}
