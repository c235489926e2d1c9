import assert from "node:assert/strict";
import {
  type ExecFileSyncOptionsWithStringEncoding,
  execFileSync,
  spawn,
  spawnSync,
} from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "planledger-package-"));
const consumer = join(work, "consumer");
const installed = join(consumer, "node_modules", "planledger");
const options: ExecFileSyncOptionsWithStringEncoding = {
  cwd: consumer,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "pipe"],
};
const npm = (args: readonly string[], cwd: string) => spawnSync("npm", args, { ...options, cwd });

before(() => {
  mkdirSync(consumer);
  const packed = npm(["pack", "--json", "--silent", "--pack-destination", work], root);
  assert.equal(packed.status, 0, packed.stderr);
  const tarball = join(work, readdirSync(work).find((name) => name.endsWith(".tgz")) ?? "");
  writeFileSync(
    join(consumer, "package.json"),
    '{ "name": "consumer", "private": true, "type": "module" }\n',
  );
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=0"];
  const install = npm(["install", ...flags, tarball], consumer);
  if (install.status !== 0) installFromCheckout(tarball);
});
after(() => rmSync(work, { recursive: true, force: true }));

/** Without a registry: the tarball's files beside links to what the checkout has installed. */
function installFromCheckout(tarball: string): void {
  rmSync(join(consumer, "node_modules"), { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name.startsWith(".") || name === "planledger") continue;
    symlinkSync(join(root, "node_modules", name), join(consumer, "node_modules", name));
  }
  mkdirSync(join(consumer, "node_modules", ".bin"));
  symlinkSync("../planledger/bin/planledger.js", join(consumer, "node_modules", ".bin", "planledger"));
}

test("the tarball holds built JavaScript with types, and neither sources nor tests", () => {
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter(
    (file) => !file.startsWith("node_modules"),
  );
  assert.ok(files.includes("dist/lib/index.js") && files.includes("dist/lib/index.d.ts"));
  assert.ok(files.includes("bin/planledger.js") && files.includes("LICENSE"));
  const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"));
  assert.deepEqual(
    sources.filter((file) => !file.startsWith("examples/")),
    [],
  );
  assert.deepEqual(
    files.filter((file) => /\.(test|testkit|contract|slow)\./.test(file) || file.startsWith("dist/cli/test")),
    [],
  );
});

test("no built file imports what the tarball does not hold", () => {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const known = new Set([
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.optionalDependencies),
    "planledger",
  ]);
  const foreign = new Set<string>();
  const used = new Set<string>();
  for (const file of readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js")) continue;
    const text = readFileSync(join(installed, "dist", file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom\s+|^import\s+)"([^."\s][^"\s]*)"/gm)) {
      if (specifier.startsWith("node:")) continue;
      const name = specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/");
      used.add(name);
      if (!known.has(name)) foreign.add(`${file}: ${specifier}`);
    }
  }
  assert.deepEqual([...foreign], []);
  assert.ok(used.has("commander") && used.has("zod"), "imports are found at all");
});

const program = `
import {
  builtinTools,
  InMemoryChangeSetStore,
  PlanExecutionContext,
  PlanledgerError,
  RuntimeExecuteActor,
  ToolRegistry,
  ToolRunner,
  ValidationError,
  fileLocalItems,
  fileSyncBaseStore,
  httpSyncTransport,
  planledgerClient,
  PlanSyncClient,
  type AutomationProfile,
  type CallRecord,
  type ChangeEntry,
  type DecisionOutcome,
  type FileLocalItems,
  type PlanledgerClient,
  type PlanStatusReply,
  type ResourceKind,
  type RuntimeLogger,
  type SyncOrder,
  type Tool,
  type ToolCall,
  type ToolWorkspace,
  type Workspace,
} from "planledger";

// What the signatures name can be named.
const call: ToolCall = { tool: "write_file", input: { path: "a.txt", content: "hello" } };
const hasText = async (workspace: ToolWorkspace): Promise<boolean> =>
  (await workspace.info("a.txt")) !== undefined;
const tool: Tool = {
  name: "look",
  description: "Looks.",
  inputSchema: { type: "object" },
  effect: "read",
  run: async (_, context) => ({ output: (await hasText(context.workspace())) ? "there" : "" }),
};
export type Named = [AutomationProfile, CallRecord, DecisionOutcome, PlanStatusReply, RuntimeLogger, SyncOrder, Workspace];

const changesetStore = new InMemoryChangeSetStore();
const context: PlanExecutionContext = new PlanExecutionContext({ planId: "p1", changesetStore });
const actor = new RuntimeExecuteActor({
  context,
  toolRunner: new ToolRunner({ registry: new ToolRegistry([...builtinTools(), tool]) }),
});
const result = await actor.execute({
  decisions: [{ id: "d1", toolCalls: [call, { tool: "look", input: {} }] }],
});
const changeset = await context.getChangeset(result.changesetId);
const entries: readonly ChangeEntry[] = changeset?.entries ?? [];

const client: PlanledgerClient = planledgerClient({ url: "http://127.0.0.1:9", token: "plt_a_b" });
const url = "http://127.0.0.1:9";
const bases = fileSyncBaseStore({ root: process.cwd(), url, onDamaged: console.error });
const { otherServerIds } = bases;
const sync = new PlanSyncClient({ transport: httpSyncTransport({ client }), bases, otherServerIds });
const kinds: readonly ResourceKind[] = sync.scope.activeKinds;
const local: FileLocalItems = fileLocalItems({ root: process.cwd() });
const { entries: items } = await local.read(kinds);
const fields: string[] = [];
try {
  new PlanExecutionContext({ planId: "" });
} catch (error) {
  if (error instanceof ValidationError) fields.push(error.field);
}
await client.planStatus({ planId: "" }).catch((error: unknown) => {
  if (error instanceof PlanledgerError) fields.push(error.code);
});
console.log(JSON.stringify({ path: entries[0]?.path, kind: entries[0]?.kind, calls: result.toolCallCount, fields, items: items.map(({ id }) => id) }));
`;

test("a TypeScript program that uses class, client and errors type-checks and runs", () => {
  writeFileSync(join(consumer, "program.ts"), program);
  const compilerOptions = {
    target: "es2024",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
    outDir: "out",
  };
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  const compiled = spawnSync(join(root, "node_modules", ".bin", "tsc"), ["-p", "."], options);
  assert.equal(compiled.status, 0, compiled.stdout);
  mkdirSync(join(consumer, "actions"));
  writeFileSync(join(consumer, "actions", "look.yaml"), 'id: local/look\nversion: "1"\n');
  const printed = execFileSync(process.execPath, ["out/program.js"], options);
  assert.deepEqual(JSON.parse(printed), {
    path: "a.txt",
    kind: "create",
    calls: 2,
    fields: ["planId", "validation_failed"],
    items: ["local/look"],
  });
});

test("a mistake in a type is seen: the declarations are no `any`", () => {
  writeFileSync(
    join(consumer, "program.ts"),
    'import { planledgerClient } from "planledger";\nplanledgerClient({ url: 1, token: "t" });\n',
  );
  const compiled = spawnSync(join(root, "node_modules", ".bin", "tsc"), ["-p", "."], options);
  assert.match(compiled.stdout, /error TS2322/);
});

test("the command runs from the package, and says what it needs on an older Node", async () => {
  const command = join(consumer, "node_modules", ".bin", "planledger");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.equal(execFileSync(process.execPath, [command, "--version"], options), `${version}\n`);
  const example = join(installed, "examples", "rename-module");
  const validated = execFileSync(
    process.execPath,
    [
      command,
      "plan",
      "validate",
      join(example, "plan.yaml"),
      "--project",
      join(example, "project"),
      "--json",
    ],
    options,
  );
  assert.equal(JSON.parse(validated).valid, true);

  const dev = spawn(process.execPath, [command, "dev", "--port", "0", "--json"], { cwd: consumer });
  try {
    const [chunk] = await once(dev.stdout, "data");
    assert.match(JSON.parse(String(chunk)).url, /^http:/);
    const watched = execFileSync(
      process.execPath,
      [
        command,
        "plan",
        "execute",
        join(example, "plan.yaml"),
        "--project",
        join(example, "project"),
        "--watch",
        "--json",
      ],
      options,
    );
    assert.equal(JSON.parse(watched).phase, "completed");
  } finally {
    dev.kill("SIGTERM");
    const [code] = await once(dev, "close");
    assert.equal(code, 0);
  }

  // What process.versions says stands in for an older Node, which this machine need not have.
  const older = join(work, "older.mjs");
  writeFileSync(
    older,
    'Object.defineProperty(process.versions, "node", { value: "20.1.0" });\nprocess.argv.splice(1, 1);\nawait import(process.argv[1]);\n',
  );
  const refused = spawnSync(process.execPath, [older, join(installed, "bin", "planledger.js")], options);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /needs Node 22\.18 or newer; this is 20\.1\.0/);
});
