import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Metafile } from "esbuild";
import { bundleFunction } from "./bundle-function.ts";

const directory = mkdtempSync(join(tmpdir(), "for-lambda-alone-"));
let outputs: Metafile["outputs"];
before(async () => {
  ({ outputs } = (await bundleFunction("functions/kms-signer.ts", directory)).metafile ?? { outputs: {} });
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** Signs in a process of its own, at a port where nobody listens, and tells what went wrong. */
const failureUnder = (credentials: Readonly<Record<string, string>>): string => {
  const script = `
    import { wireKmsSigner } from ${JSON.stringify(join(directory, "index.mjs"))};
    const environment = { AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: "http://127.0.0.1:1" };
    await wireKmsSigner(environment, "arn:aws:kms:us-east-1:123456789012:key/1")
      .catch(({ message, cause }) => console.log(message, cause.name, cause.code));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: directory, AWS_EC2_METADATA_DISABLED: "true", ...credentials },
  });
  assert.equal(stderr, "");
  return stdout;
};

test("a bundle holds neither readers of a developer's sign-ins, nor their clients, nor a table of browsers", () => {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  assert.ok(inputs.some((path) => path.includes("client-kms")));
  assert.deepEqual(
    inputs.filter((path) =>
      /nested-clients|credential-provider-(?:ini|sso|process|web-identity)\/|node_modules\/bowser/.test(path),
    ),
    [],
  );
});

test("a bundle takes its credentials from the environment", () => {
  const reached = failureUnder({ AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" });
  assert.match(reached, /ECONNREFUSED/);
});

test("without credentials a bundle says so, as the SDK does", () => {
  assert.match(failureUnder({}), /CredentialsProviderError/);
});
