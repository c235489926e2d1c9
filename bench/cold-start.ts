import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import * as z from "zod/mini";
import { bundleFunction } from "#infra/cdk/bundle-function.ts";
import { topology } from "#infra/topology.ts";
import { machine } from "./machine.ts";
import { plainBuild } from "./plain-build.ts";
import { median } from "./quantile.ts";
import { table } from "./table.ts";

/**
 * `npm run bench:cold-start [-- --rounds N --function NAME]`: how long Node takes to load the code that each function loads at
 * start, of our bundle and of a plain build of the same entry (`plain-build.ts`), in one run: fresh processes, by turns,
 * without a compile cache. Exit code 1 when a function's median is above half of the plain build's.
 */
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "11" }, function: { type: "string" } },
});
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1)
  throw new Error("--rounds must be a whole number of at least 1");
const budget = 0.5;
const loader = join(import.meta.dirname, "load-module.mjs");
const run = promisify(execFile);

interface Build {
  readonly path: string;
  readonly bytes: number;
  readonly milliseconds: number[];
  readonly cpuMilliseconds: number[];
}

const timing = z.object({ milliseconds: z.number(), cpuMilliseconds: z.number() });

async function load({ path, milliseconds, cpuMilliseconds }: Build): Promise<void> {
  const { NODE_COMPILE_CACHE: _, NODE_OPTIONS: __, ...env } = process.env;
  const { stdout } = await run(process.execPath, [loader, path], {
    env: { ...env, NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  const took = timing.parse(JSON.parse(stdout));
  milliseconds.push(took.milliseconds);
  cpuMilliseconds.push(took.cpuMilliseconds);
}

const chosen = Object.entries(topology.functions).filter(
  ([name]) => values.function === undefined || values.function === name,
);
if (chosen.length === 0) throw new Error(`no function ${values.function}`);

const directory = await mkdtemp(join(tmpdir(), "planledger-cold-start-"));
try {
  const built: { readonly name: string; readonly ours: Build; readonly plain: Build }[] = [];
  for (const [name, { entry }] of chosen) {
    const [ours, plain] = [join(directory, name, "ours"), join(directory, name, "plain")];
    await Promise.all([mkdir(ours, { recursive: true }), mkdir(plain, { recursive: true })]);
    await bundleFunction(entry, ours);
    const plainPath = await plainBuild(entry, plain);
    const sized = async (path: string): Promise<Build> => ({
      path,
      bytes: (await stat(path)).size,
      milliseconds: [],
      cpuMilliseconds: [],
    });
    built.push({ name, ours: await sized(join(ours, "index.mjs")), plain: await sized(plainPath) });
  }
  process.stdout.write(`${machine()}\n`);
  for (let round = 0; round < rounds; round += 1) {
    for (const { ours, plain } of built) {
      for (const build of round % 2 === 0 ? [ours, plain] : [plain, ours]) await load(build);
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  const results = built.map(({ name, ours, plain }) => {
    const [own, other] = [median(ours.milliseconds), median(plain.milliseconds)];
    const cpuRatio = median(ours.cpuMilliseconds) / median(plain.cpuMilliseconds);
    return { name, own, other, ratio: own / other, cpuRatio, plainBytes: plain.bytes };
  });
  process.stdout.write(
    `Module load of the start code, medians of ${rounds} processes each, ms (budget: a ratio of ${budget})\n\n`,
  );
  process.stdout.write(
    table(
      ["function", "bundle", "plain build", "ratio", "ratio at work", "plain KB"],
      results.map(({ name, own, other, ratio, cpuRatio, plainBytes }) => [
        name,
        own.toFixed(1),
        other.toFixed(1),
        ratio.toFixed(2),
        cpuRatio.toFixed(2),
        (plainBytes / 1000).toFixed(0),
      ]),
    ),
  );
  const above = results.filter(({ ratio }) => ratio > budget).map(({ name }) => name);
  if (above.length > 0) {
    process.stdout.write(`\nabove the budget: ${above.join(", ")}\n`);
    process.exitCode = 1;
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
