import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { repositoryPlan } from "./repository-plan.ts";
import { type Ran, run, say, start, title } from "./shell.ts";

/**
 * The main job on the embedded service, as a user would do it by hand: this repository's own files as the project, a real
 * plan, its changeset proven by real git and by the compiler; that changeset applied, to the project and to a directory, and
 * rolled back, git agreeing at each step; its ledger verified; then a plan that fails, repaired by a further run.
 */
const root = dirname(import.meta.dirname);
const launcher = join(root, "bin/planledger.js");
const temp = mkdtempSync(join(tmpdir(), "planledger-demo-"));
process.once("exit", () => rmSync(temp, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const git = {
  GIT_CONFIG_NOSYSTEM: "1",
  HOME: temp,
  GIT_AUTHOR_NAME: "demo",
  GIT_AUTHOR_EMAIL: "demo@localhost",
  GIT_COMMITTER_NAME: "demo",
  GIT_COMMITTER_EMAIL: "demo@localhost",
};

title("The service: queue, table, bucket, functions and gateway, all on this machine");
say("$ planledger dev");
const { child, first } = await start(
  process.execPath,
  [launcher, "dev", "--port", "0", "--data", join(temp, "data"), "--json"],
  temp,
);
try {
  const started = z.object({ url: z.string(), token: z.string(), publicKeyFile: z.string() });
  const { publicKeyFile, ...service } = z.parse(started, first);
  say(`listening on ${service.url}`);
  const env = { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: service.token };
  const planledger = (
    args: readonly string[],
    options: { readonly lines?: number; readonly expect?: number } = {},
  ): Ran =>
    run({
      command: process.execPath,
      args: [launcher, ...args],
      cwd: root,
      env,
      shown: `planledger ${args.map(shown).join(" ")}`,
      ...options,
    });
  title("A plan on this repository's own files");
  const project = join(temp, "project");
  copyProject(project);
  const inProject = (args: readonly string[], input?: Uint8Array): string =>
    run({ command: "git", args, cwd: project, env: git, ...(input === undefined ? {} : { input }) })
      .stdout.toString("utf8")
      .trim();
  inProject(["init", "--quiet"]);
  inProject(["config", "core.autocrlf", "false"]);
  inProject(["add", "--all"]);
  inProject(["commit", "--quiet", "--message", "as it is"]);
  const copy = join(temp, "copy");
  cpSync(project, copy, { recursive: true, verbatimSymlinks: true });
  planledger(["project", "import", project, "--id", "local/planledger"]);
  const plan = {
    ...repositoryPlan(project),
    projectResources: { repository: { project: "local/planledger" } },
  };
  const planFile = join(temp, "contributors.json");
  writeFileSync(planFile, JSON.stringify(plan, null, 2));
  say(`${plan.decisions.length} decisions: ${plan.decisions.map((decision) => decision.id).join(", ")}`);
  planledger(["plan", "execute", planFile, "--id", "contributors", "--watch"]);

  title("Why, what, and in which order");
  planledger(["plan", "tree", "contributors"]);
  planledger(["plan", "explain", "contributors", "logo-link"]);

  title("The change, as a unified diff");
  const diff = planledger(["plan", "diff", "contributors"], { lines: 45 }).stdout;

  title("Proof by git: the diff applied to the files gives the tree that the changeset promises");
  const before = inProject(["write-tree"]);
  say(`git write-tree of the files now:            ${before}`);
  inProject(["apply", "--index", "-"], diff);
  const byGit = inProject(["write-tree"]);
  say(`git apply of the diff, then git write-tree: ${byGit}`);
  const client = planledgerClient(service);
  const status = await client.planStatus({ planId: "contributors" });
  let promised: string | undefined;
  for await (const page of client.changeset({ planId: "contributors" })) {
    promised ??= Object.values(page.resultGitTreeIds ?? {})[0];
  }
  say(`the changeset's own tree id:                ${promised}`);
  if (byGit !== promised) throw new Error("git and the changeset disagree");

  title("Proof by the compiler: the changed repository still type-checks");
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  run({ command: join(root, "node_modules/.bin/tsc"), args: [], cwd: project, shown: "tsc" });
  say("no errors");

  const { digest } = status;
  if (digest === undefined) throw new Error("the run is not sealed");
  title("Apply: exactly the digest that was reviewed, and the project's tree is the one that git made");
  planledger(["plan", "apply", "contributors", "--digest", digest]);
  const applied = await client.projects.get("local/planledger");
  say(`the project's tree id, revision ${applied.revision}:         ${applied.gitTreeId}`);
  if (applied.gitTreeId !== byGit) throw new Error("git and the project disagree");
  planledger(["plan", "explain", "contributors", "--path", "CONTRIBUTING.md"]);

  title("The same digest applied to a directory, and git looks at the files");
  planledger(["plan", "apply", "contributors", "--digest", digest, "--to", copy], { lines: 6 });
  const inCopy = (args: readonly string[]): string =>
    run({ command: "git", args, cwd: copy, env: git }).stdout.toString("utf8").trim();
  inCopy(["add", "--all"]);
  const onDisk = inCopy(["write-tree"]);
  say(`git write-tree of the directory:            ${onDisk}`);
  if (onDisk !== byGit) throw new Error("git and the directory disagree");

  title("Roll back: first what it would do, then under its own digest; the tree of before is back");
  const { stdout } = planledger(["plan", "rollback", "contributors"]);
  const rollback = /^digest +([0-9a-f]{64})$/m.exec(stdout.toString("utf8"))?.[1];
  if (rollback === undefined) throw new Error("the rollback has no digest");
  planledger(["plan", "rollback", "contributors", "--digest", rollback]);
  planledger(["project", "log", "local/planledger"]);
  const restored = await client.projects.get("local/planledger");
  if (restored.gitTreeId !== before) throw new Error("the rollback did not restore the tree");

  title("The ledger of all that verifies, online, and offline with the owner's public key");
  planledger(["verify", "contributors"]);
  const ledger = join(temp, "ledger.jsonl");
  planledger(["plan", "artifacts", "contributors", "--ledger", ledger]);
  planledger(["verify", "--file", ledger, "--key", publicKeyFile]);

  title("A decision that fails does not sink the rest");
  const example = "examples/repair-a-failure";
  planledger(
    [
      "plan",
      "execute",
      `${example}/plan.yaml`,
      "--project",
      `${example}/project`,
      "--id",
      "limits",
      "--watch",
    ],
    { expect: 1 },
  );
  title("… and a further run with corrected calls completes it");
  planledger(["plan", "resume", "limits", "--tool-calls", `${example}/corrected-calls.yaml`, "--watch"]);
  planledger(["plan", "tree", "limits"]);
  planledger(["plan", "diff", "limits"]);

  title("What was shown");
  say(`digest of the first changeset: ${digest}`);
  say(`what its run would have cost on AWS: ${status.costUsd.toFixed(8)} USD, from counted units`);
} finally {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

function shown(arg: string): string {
  return arg.startsWith(temp) ? arg.slice(temp.length + 1) : arg;
}

/** The files that `plan execute --project .` uploads: what git tracks, and what it does not ignore. */
function copyProject(to: string): void {
  const listed = run({
    command: "git",
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd: root,
  });
  const missing = run({ command: "git", args: ["ls-files", "-z", "--deleted"], cwd: root });
  const gone = new Set(missing.stdout.toString("utf8").split("\0"));
  for (const path of new Set(listed.stdout.toString("utf8").split("\0"))) {
    if (path === "" || gone.has(path)) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(root, path), join(to, path), { verbatimSymlinks: true });
  }
}
