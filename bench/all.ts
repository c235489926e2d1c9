import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * `npm run bench:all [-- --quick]`: every benchmark one after another, on a machine that does nothing else, its output on the
 * screen and in `reports/bench/NAME.txt`. Exit code 1 when one of them ended with another code than 0. `--quick` takes small
 * numbers, to see that all of them run.
 */
const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });

interface Benchmark {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly quick: readonly string[];
}

const benchmarks: readonly Benchmark[] = [
  { name: "cold-start", script: "cold-start.ts", args: ["--rounds", "21"], quick: ["--rounds", "3"] },
  {
    name: "cost",
    script: "cost.ts",
    args: ["--items", "10000"],
    quick: ["--decisions", "200", "--large", "400", "--items", "200"],
  },
  { name: "latency", script: "latency.ts", args: ["--rounds", "500"], quick: ["--rounds", "20"] },
  {
    name: "queues",
    script: "queues/queues.ts",
    args: ["--rounds", "9"],
    quick: ["--rounds", "1", "--jobs", "1000"],
  },
  { name: "load", script: "load/load.ts", args: [], quick: ["--seconds", "5"] },
];

const reports = join(import.meta.dirname, "..", "reports", "bench");

async function run({ name, script, args, quick }: Benchmark): Promise<number | null> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, script), ...(values.quick ? quick : args)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const file = createWriteStream(join(reports, `${name}.txt`));
  child.stdout.pipe(file);
  child.stdout.pipe(process.stdout, { end: false });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

mkdirSync(reports, { recursive: true });
const [load = 0] = loadavg();
if (load > 0.5) {
  process.stderr.write(
    `This machine is at work already (load ${load.toFixed(1)}): timings will tell more of that.\n`,
  );
}
const failed: string[] = [];
for (const benchmark of benchmarks) {
  process.stdout.write(`\n=== ${benchmark.name}\n\n`);
  if ((await run(benchmark)) !== 0) failed.push(benchmark.name);
}
process.stdout.write(`\n${reports}\n`);
if (failed.length > 0) {
  process.stdout.write(`not as they must be: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}
