import { type SpawnOptions, spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Guard, guards } from "./guard-list.ts";

/**
 * `npm run guards [PART OF A NAME]`: takes each listed guard out of a copy of the sources and requires its test to fail there,
 * after having seen it pass on an untouched copy. The checkout itself is never changed. Exit code 1 when a guard can be
 * taken out without a test noticing.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rooms = ["bin", "lib", "functions", "infra", "cli", "scripts", "examples"];
const atOnce = 2;
const testTimeoutMs = 180_000;

/** Of the tests that run now: whoever breaks this off leaves none of them behind. */
const groups = new Set<number>();
process.once("exit", () => {
  for (const pid of groups) endProcessGroup(pid);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

function endProcessGroup(pid: number): void {
  groups.delete(pid);
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody of the group is left.
  }
}

async function copySources(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "planledger-guards-"));
  for (const room of rooms) {
    await cp(join(root, room), join(copy, room), { recursive: true });
  }
  await cp(join(root, "package.json"), join(copy, "package.json"));
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

interface TestRun {
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
}

async function runTest(copy: string, guard: Guard): Promise<TestRun> {
  // A test that is ended early leaves its temporary files: they go with their folder.
  const scratch = await mkdtemp(join(tmpdir(), "planledger-guards-"));
  try {
    return await runTestIn({ copy, scratch }, guard);
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function runTestIn(
  { copy, scratch }: { readonly copy: string; readonly scratch: string },
  { test, testName }: Guard,
): Promise<TestRun> {
  const pattern = testName === undefined ? [] : [`--test-name-pattern=${testName}`];
  const options: SpawnOptions = {
    cwd: copy,
    // Node's test runner marks its children.
    env: {
      ...process.env,
      TMPDIR: scratch,
      MODEL_RUNS: process.env.MODEL_RUNS ?? "150",
      NODE_TEST_CONTEXT: undefined,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: what a test without its guard has started ends with it, also when it never ends by itself.
    detached: true,
  };
  const seed = ["--import", join(root, "test", "property-seed.ts")];
  const child = spawn(
    process.execPath,
    [...seed, "--test", "--test-reporter=tap", ...pattern, test],
    options,
  );
  const { pid } = child;
  const endGroup = () => {
    if (pid !== undefined) endProcessGroup(pid);
  };
  if (pid !== undefined) groups.add(pid);
  const timer = setTimeout(endGroup, testTimeoutMs);
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
    // One red test is enough.
    if (failedTest.test(output)) endGroup();
  });
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      endGroup();
      const count = (label: string) => Number(new RegExp(`^# ${label} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
      const failed = Math.max(count("fail"), failedTest.test(output) ? 1 : 0);
      resolve({ passed: count("pass"), failed, output });
    });
  });
}

/** A failed test in TAP, to the end of its account. */
const failedTest = /^( *)not ok [^\n]*\n(?:\1 [^\n]*\n)*?\1 {2}\.\.\.\n/m;

/** A copy that does not even load would be red for the wrong reason. */
function isBroken({ output }: TestRun): boolean {
  return /SyntaxError|ERR_MODULE_NOT_FOUND|ERR_INVALID_TYPESCRIPT_SYNTAX|ReferenceError/.test(output);
}

async function takeOut(copy: string, { file, find, replace }: Guard): Promise<string | undefined> {
  const path = join(copy, file);
  const source = await readFile(path, "utf8");
  const times = source.split(find).length - 1;
  if (times !== 1) {
    return `its marker stands ${times} times in ${file}, not once`;
  }
  await writeFile(
    path,
    source.replace(find, () => replace),
  );
  return undefined;
}

/** `undefined` when the guard's test fails without it. */
async function check(guard: Guard): Promise<string | undefined> {
  const copy = await copySources();
  try {
    const misplaced = await takeOut(copy, guard);
    if (misplaced !== undefined) {
      return misplaced;
    }
    const run = await runTest(copy, guard);
    if (isBroken(run)) {
      return `without it the code does not load:\n${run.output.slice(-2_000)}`;
    }
    return run.failed > 0 ? undefined : `${guard.test} passes without it`;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) {
        await work(item);
      }
    }),
  );
}

async function main(): Promise<void> {
  const part = process.argv[2];
  const chosen = guards.filter(({ name }) => part === undefined || name.includes(part));
  if (chosen.length === 0) {
    throw new Error(`No guard's name holds ${JSON.stringify(part)}.`);
  }
  let failures = 0;
  const untouched = await copySources();
  const tests = new Map(chosen.map((guard) => [`${guard.test} ${guard.testName ?? ""}`, guard]));
  await inParallel([...tests.values()], async (guard) => {
    const run = await runTest(untouched, guard);
    if (run.failed > 0 || run.passed === 0) {
      failures += 1;
      process.stdout.write(`RED WITH ALL GUARDS  ${guard.test}\n${run.output.slice(-4_000)}\n`);
    }
  });
  await rm(untouched, { recursive: true, force: true });
  await inParallel(chosen, async (guard) => {
    const missed = await check(guard);
    failures += missed === undefined ? 0 : 1;
    process.stdout.write(
      `${missed === undefined ? "red without it" : "NOT GUARDED   "}  ${guard.name}${missed === undefined ? "" : `: ${missed}`}\n`,
    );
  });
  process.stdout.write(`${chosen.length} guards, ${failures} problem(s)\n`);
  process.exitCode = failures === 0 ? 0 : 1;
}

await main();
