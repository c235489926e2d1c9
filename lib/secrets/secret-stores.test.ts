import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { PlanledgerError } from "../errors/planledger-error.ts";
import { fileSecretStore } from "./file-secret-store.ts";
import { memorySecretStore } from "./memory-secret-store.ts";
import { secretStoreContract } from "./secret-store.contract.ts";

const directory = mkdtempSync(join(tmpdir(), "secrets-"));
after(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;
const write = (text: string, mode = 0o600): string => {
  files += 1;
  const path = join(directory, `${files}.json`);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
};
const token = { tenant: "acme", name: "TOKEN" };

secretStoreContract("in memory", async (secrets) => memorySecretStore(secrets));
secretStoreContract("in a file", async (secrets) => fileSecretStore(write(JSON.stringify(secrets))));

test("a file that is not there holds no secret; once it is there it counts, without a restart", async () => {
  const path = join(directory, "later.json");
  const store = fileSecretStore(path);
  assert.equal(await store.get(token), undefined);
  writeFileSync(path, '{"acme":{"TOKEN":"one"}}', { mode: 0o600 });
  assert.equal(await store.get(token), "one");
  writeFileSync(path, '{"acme":{"TOKEN":"two"}}');
  assert.equal(await store.get(token), "two");
});

for (const mode of [0o640, 0o604, 0o620, 0o666]) {
  test(`a file that others may open (${mode.toString(8)}) is refused`, async () => {
    const store = fileSecretStore(write('{"acme":{"TOKEN":"hush-hush"}}', mode));
    await assert.rejects(
      store.get(token),
      (error) =>
        error instanceof PlanledgerError && error.code === "secret_unavailable" && /600/.test(error.message),
    );
  });
}

for (const text of ['{"acme":{"TOKEN":"hush-hush"', '{"acme":{"TOKEN":["hush-hush"]}}', '"hush-hush"']) {
  test(`a file that is not of the form (${text.slice(0, 8)}…) is refused without a word of what it holds`, async () => {
    await assert.rejects(fileSecretStore(write(text)).get(token), (error) => {
      assert.ok(error instanceof PlanledgerError && error.code === "secret_unavailable");
      assert.equal(error.cause, undefined);
      assert.doesNotMatch(error.message, /hush/);
      return true;
    });
  });
}
