import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { startDev } from "../../test/slow/dev-process.testkit.ts";
import { machine } from "../machine.ts";
import { quantile } from "../quantile.ts";
import { readNotes } from "./notes.ts";
import { isGood, reportPage, type ScenarioRun } from "./report.ts";

/**
 * `npm run bench:load [-- --url URL --token TOKEN --scenario NAME --seconds N --rate N --decisions N]`: artillery's scenarios
 * against any base URL, or against an embedded service that is started for it. Each checks what came of its requests. Writes
 * `reports/load/index.html`, a page with plots, and exits with 1 when an outcome is not as it must be. `--seconds` and
 * `--rate` replace a scenario's own phases.
 */
const { values } = parseArgs({
  options: {
    url: { type: "string" },
    token: { type: "string" },
    scenario: { type: "string", multiple: true },
    seconds: { type: "string" },
    rate: { type: "string" },
    decisions: { type: "string", default: "3000" },
  },
});

const scenarios = {
  steady: { noun: "plan", about: "Plans of ten decisions at a steady rate, each followed to its end." },
  burst: { noun: "plan", about: "A quiet moment, then as many plans at once as come in two seconds." },
  large: { noun: "plan", about: `Plans of ${values.decisions} decisions, some of them at once.` },
  sync: {
    noun: "sync",
    about: "100 new items in a batch, the same batch again, and the listing in which all of them must stand.",
  },
} as const;
type ScenarioName = keyof typeof scenarios;
const isScenario = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name);

const root = join(import.meta.dirname, "..", "..");
const reports = join(root, "reports", "load");
const artillery = join(import.meta.dirname, "node_modules", ".bin", "artillery");
/** A phase of one's own where the scenario's does not suit. */
const overrides =
  values.seconds === undefined && values.rate === undefined
    ? undefined
    : JSON.stringify({
        config: {
          phases: [{ duration: Number(values.seconds ?? 10), arrivalRate: Number(values.rate ?? 2) }],
        },
      });

const summary = z.object({
  aggregate: z.object({ counters: z.optional(z.record(z.string(), z.number())) }),
});

function installArtillery(): void {
  if (existsSync(artillery)) return;
  process.stderr.write("installing artillery (npm ci in bench/load) ...\n");
  // Without scripts: one of its dependencies would fetch browsers.
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-fund", "--no-audit", "--loglevel=error"], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function runScenario(
  name: ScenarioName,
  target: { readonly url: string; readonly token: string },
): Promise<ScenarioRun> {
  const log = join(reports, `${name}.jsonl`);
  const output = join(reports, `${name}.json`);
  rmSync(log, { force: true });
  rmSync(output, { force: true });
  const args = [
    ...["run", "--target", target.url, "--output", output],
    ...(overrides === undefined ? [] : ["--overrides", overrides]),
    `${name}.yml`,
  ];
  const child = spawn(artillery, args, {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      ARTILLERY_DISABLE_TELEMETRY: "true",
      PLANLEDGER_TOKEN: target.token,
      PLANLEDGER_BENCH_LOG: log,
      PLANLEDGER_BENCH_DECISIONS: values.decisions,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const counters = existsSync(output)
    ? (summary.parse(JSON.parse(readFileSync(output, "utf8"))).aggregate.counters ?? {})
    : {};
  const faults = Object.entries(counters)
    .filter(([counter]) => counter.startsWith("errors."))
    .map(([counter, count]) => `${counter.slice("errors.".length)} (${count} times)`);
  if (exitCode !== 0) faults.push(`artillery ended with ${exitCode}`);
  return {
    name,
    ...scenarios[name],
    notes: readNotes(log),
    faults,
    users: counters["vusers.created"] ?? 0,
  };
}

const chosen = (values.scenario ?? Object.keys(scenarios)).map((name) => {
  if (isScenario(name)) return name;
  throw new Error(`no scenario ${name}; there are ${Object.keys(scenarios).join(", ")}`);
});
if ((values.url === undefined) !== (values.token === undefined)) {
  throw new Error("--url and --token go together; without both an embedded service is started");
}
installArtillery();
mkdirSync(reports, { recursive: true });
const directory = mkdtempSync(join(tmpdir(), "planledger-load-"));
const own =
  values.url === undefined
    ? await startDev({ cwd: directory, port: 0, dataDir: join(directory, "data") })
    : undefined;
try {
  const target = { url: values.url ?? own?.url ?? "", token: values.token ?? own?.token ?? "" };
  const on = machine();
  const runs: ScenarioRun[] = [];
  for (const name of chosen) {
    process.stderr.write(`${name} ...\n`);
    const run = await runScenario(name, target);
    runs.push(run);
    const times = run.notes.outcomes.map(({ milliseconds }) => milliseconds);
    const [p50, p99] =
      times.length === 0 ? ["–", "–"] : [0.5, 0.99].map((share) => quantile(times, share).toFixed(0));
    const good = run.notes.outcomes.filter((outcome) => outcome.good).length;
    process.stdout.write(
      `${name.padEnd(8)} ${good} of ${run.users} ${run.noun}s as they must be, p50 ${p50} ms, p99 ${p99} ms\n`,
    );
    for (const fault of run.faults) process.stdout.write(`         ${fault}\n`);
    if (!isGood(run)) process.exitCode = 1;
  }
  const page = join(reports, "index.html");
  const where = own === undefined ? target.url : "an embedded service of its own";
  writeFileSync(page, reportPage({ runs, target: where, machine: on, at: new Date() }));
  process.stdout.write(`\n${page}\n`);
} finally {
  await own?.stop();
  rmSync(directory, { recursive: true, force: true });
}
