import type { TokenRecord, TokenStore } from "./token-store.ts";

/** Tokens in this process's memory, for tests. */
export const memoryTokenStore = (): TokenStore => {
  const tokens = new Map<string, TokenRecord>();
  return {
    async create(token) {
      if (tokens.has(token.id)) return false;
      tokens.set(token.id, token);
      return true;
    },
    async get(id) {
      return tokens.get(id);
    },
    async revoke({ tenant, id, atEpochMs }) {
      const token = tokens.get(id);
      if (token?.tenant !== tenant) return false;
      if (token.revokedAtEpochMs === undefined) tokens.set(id, { ...token, revokedAtEpochMs: atEpochMs });
      return true;
    },
    async list({ tenant, limit, cursor }) {
      const own = [...tokens.values()]
        .filter((token) => token.tenant === tenant && (cursor === undefined || token.id > cursor))
        .sort((one, other) => (one.id < other.id ? -1 : 1));
      const page = own.slice(0, limit);
      const last = page.at(-1);
      return { tokens: page, ...(own.length > page.length && last !== undefined ? { cursor: last.id } : {}) };
    },
  };
};
