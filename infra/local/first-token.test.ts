import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { processPorts } from "#functions/process-ports.ts";
import { authorizeRequest } from "#lib/access/authorize-request.ts";
import { issueToken } from "#lib/access/issue-token.ts";
import { noJwts } from "#lib/access/judge-jwt.ts";
import { memoryTokenStore } from "#lib/access/memory-token-store.ts";
import { scopes } from "#lib/access/token-store.ts";
import { firstToken } from "./first-token.ts";

const directories: string[] = [];
after(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});
const world = () => {
  const directory = mkdtempSync(join(tmpdir(), "first-token-"));
  directories.push(directory);
  const ports = { ...processPorts, tokens: memoryTokenStore() };
  const scopesOf = async (token: string) => {
    const verdict = await authorizeRequest({ ...ports, judgeJwt: noJwts }, `Bearer ${token}`);
    return verdict.kind === "allowed" ? verdict.caller.scopes : undefined;
  };
  return { directory, ports, scopesOf };
};

test("the first token has every scope, and is kept for the next start", async () => {
  const { directory, ports, scopesOf } = world();
  const token = await firstToken(ports, directory);
  assert.deepEqual(await scopesOf(token), scopes);
  assert.equal(await firstToken(ports, directory), token);
});

test("a kept token of an earlier version, which lacks a new scope, gives way to one that has all", async () => {
  const { directory, ports, scopesOf } = world();
  const earlier = scopes.filter((scope) => scope !== "tokens:delegate");
  const { token } = await issueToken(ports, { tenant: "local", principal: "owner", scopes: earlier });
  writeFileSync(join(directory, "token"), `${token}\n`);
  const made = await firstToken(ports, directory);
  assert.notEqual(made, token);
  assert.deepEqual(await scopesOf(made), scopes);
  assert.equal(readFileSync(join(directory, "token"), "utf8"), `${made}\n`);
  assert.deepEqual(await scopesOf(token), earlier, "the other one is not taken away");
});
