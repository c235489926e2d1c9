import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type Scratch, scratch } from "./files/scratch.testkit.ts";
import { planledger } from "./planledger.testkit.ts";

const launcher = join(import.meta.dirname, "..", "bin", "planledger.js");

interface Dev extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** `planledger dev --json`, up when its one document is there. */
async function dev(dir: Scratch, ...args: readonly string[]): Promise<Dev> {
  const child: ChildProcess = spawn(process.execPath, [launcher, "dev", "--port", "0", "--json", ...args], {
    cwd: dir.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return closed;
  };
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk;
  });
  const document = await new Promise<{ url: string; token: string }>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk;
      if (text.endsWith("}\n")) resolve(JSON.parse(text));
    });
    child.once("close", (code) => reject(new Error(`dev ended with ${code}: ${errors}`)));
  });
  return { ...document, end, [Symbol.asyncDispose]: async () => void (await end("SIGKILL")) };
}

test("dev says where it is, in a file that only its owner reads, and commands below find it", async () => {
  await using dir = await scratch();
  await using service = await dev(dir);
  assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const file = join(dir.path, ".planledger", "dev.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(JSON.parse(readFileSync(file, "utf8")).url, service.url);

  await mkdir(join(dir.path, "a/b"), { recursive: true });
  const found = await planledger(["plan", "list", "--json"], { cwd: join(dir.path, "a/b") });
  assert.deepEqual(found.json(), { plans: [] });
  dir.git("init", "-q");
  assert.equal(dir.git("status", "--porcelain"), "", "git does not see the token");

  const second = spawnSync(process.execPath, [launcher, "dev", "--port", "0"], {
    cwd: dir.path,
    encoding: "utf8",
  });
  assert.equal(second.status, 1);
  assert.match(second.stderr, /is in use by process \d+/);

  const taken = spawnSync(
    process.execPath,
    [launcher, "dev", "--port", new URL(service.url).port, "--data", "other"],
    { cwd: dir.path, encoding: "utf8" },
  );
  assert.equal(taken.status, 1);
  assert.match(taken.stderr, /port|EADDRINUSE/i);
  assert.equal(
    JSON.parse(readFileSync(file, "utf8")).url,
    service.url,
    "and the file is still the first one's",
  );

  assert.equal(await service.end("SIGTERM"), 0);
  assert.equal(existsSync(file), false);
  const gone = await planledger(["plan", "list"], { cwd: dir.path });
  assert.equal(gone.exitCode, 2);
});

test("what was done is there after a kill -9 and a restart, under the same token", async () => {
  await using dir = await scratch();
  const plan =
    '{ "decisions": [{ "id": "d", "toolCalls": [{ "tool": "write_file", "input": { "path": "f", "content": "x" } }] }] }';
  const first = await dev(dir, "--data", "kept");
  const executed = await planledger(["plan", "execute", "-", "--id", "p", "--watch"], {
    cwd: dir.path,
    input: plan,
  });
  assert.equal(executed.exitCode, 0, executed.stderr);
  await first.end("SIGKILL");
  const stale = await planledger(["plan", "status", "p"], { cwd: dir.path });
  assert.equal(stale.exitCode, 1);
  assert.match(stale.stderr, /nothing listens there: is the service running\?/);

  await using again = await dev(dir, "--data", "kept");
  assert.equal(again.token, first.token);
  const status = await planledger(["plan", "status", "p", "--json"], { cwd: dir.path });
  assert.equal(status.json().phase, "completed");
  assert.equal(await again.end("SIGINT"), 0);
});
