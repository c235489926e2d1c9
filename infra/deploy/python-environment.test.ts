import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const directory = mkdtempSync(join(tmpdir(), "planledger-python-"));
after(() => rmSync(directory, { recursive: true, force: true }));

test("a machine without Python is told what to install, or to set, and nothing half made is left", () => {
  const module = JSON.stringify(join(import.meta.dirname, "python-environment.ts"));
  const requirementsFile = join(import.meta.dirname, "ministack-requirements.txt");
  const order = JSON.stringify({ requirementsFile, cacheDir: directory });
  const program = `const { pythonEnvironment } = await import(${module});
    await pythonEnvironment({ ...${order}, log() {} });`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    env: { PATH: directory },
    encoding: "utf8",
  });
  assert.notEqual(status, 0);
  assert.match(stderr, /apt-get install python3 python3-venv/);
  assert.match(stderr, /or set AWS_ENDPOINT_URL/);
  assert.deepEqual(readdirSync(directory), []);
});
