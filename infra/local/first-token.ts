import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { authorizeRequest } from "#lib/access/authorize-request.ts";
import { issueToken, type TokenPorts } from "#lib/access/issue-token.ts";
import { noJwts } from "#lib/access/judge-jwt.ts";
import { scopes } from "#lib/access/token-store.ts";

/** Tenant and principal of the first token of an embedded service. */
const owner = { tenant: "local", principal: "owner" };

/**
 * The token of a data directory, with every scope: made at the first start and kept in `token`, readable by its owner only.
 * Another is made where there is none, and where the one that is kept no longer works, or lacks a scope that is new.
 */
export const firstToken = async (ports: TokenPorts, dataDir: string | undefined): Promise<string> => {
  const file = dataDir === undefined ? undefined : join(dataDir, "token");
  const kept = file !== undefined && existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  if (kept !== undefined) {
    const verdict = await authorizeRequest({ ...ports, judgeJwt: noJwts }, `Bearer ${kept}`);
    if (verdict.kind === "allowed" && scopes.every((scope) => verdict.caller.scopes.includes(scope)))
      return kept;
  }
  const { token } = await issueToken(ports, { ...owner, scopes });
  if (file !== undefined) writePrivate(file, `${token}\n`);
  return token;
};

/** Whole or not at all, and never readable by others. */
export const writePrivate = (file: string, text: string): void => {
  mkdirSync(join(file, ".."), { recursive: true });
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, file);
};
