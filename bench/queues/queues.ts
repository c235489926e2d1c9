import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import * as z from "zod/mini";
import { requireLanded, startBenchService } from "../embedded.ts";
import { machine } from "../machine.ts";
import { median } from "../quantile.ts";
import { table } from "../table.ts";
import { noOps } from "../workload.ts";
import {
  type Found,
  findPostgres,
  findRedis,
  startPostgres,
  startRedis,
  type YardstickServer,
} from "./servers.ts";

/**
 * `npm run bench:queues [-- --jobs N --rounds N]`: a plan of 5,000 decisions without a tool call on the embedded service, from
 * its submission to its end, beside as many empty jobs through BullMQ on Redis, graphile-worker and pg-boss on PostgreSQL, in
 * one run, by turns. Our decisions are durable, chained and signed; what the others do is in the table's notes. What is not
 * on this machine and cannot be fetched is named, and the others run.
 */
const { values } = parseArgs({
  options: { jobs: { type: "string", default: "5000" }, rounds: { type: "string", default: "5" } },
});
const whole = (name: "jobs" | "rounds"): number => {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new Error(`--${name} must be a whole number of at least 1`);
};
const [jobs, rounds] = [whole("jobs"), whole("rounds")];
const print = (text: string): void => void process.stdout.write(text);
const run = promisify(execFile);

interface Contender {
  readonly name: string;
  readonly note: string;
  readonly seconds: number[];
  time(): Promise<number>;
}

function installYardsticks(): string | undefined {
  if (existsSync(join(import.meta.dirname, "node_modules"))) return undefined;
  process.stderr.write("installing the queues of the yardsticks (npm ci in bench/queues) ...\n");
  try {
    execFileSync("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "ignore", "inherit"],
    });
    return undefined;
  } catch (fault) {
    return `npm ci in bench/queues failed (${fault instanceof Error ? fault.message.split("\n")[0] : fault})`;
  }
}

const missing: string[] = [];
const servers: YardstickServer[] = [];
async function started(
  found: Found,
  start: (program: string) => Promise<YardstickServer>,
): Promise<YardstickServer | undefined> {
  if ("missing" in found) {
    missing.push(found.missing);
    return undefined;
  }
  try {
    const server = await start(found.program);
    servers.push(server);
    return server;
  } catch (fault) {
    missing.push(`${found.program}: ${fault instanceof Error ? fault.message : fault}`);
    return undefined;
  }
}

function yardstick(
  queue: string,
  server: YardstickServer,
  about: { readonly name: string; readonly note: string },
): Contender {
  return {
    ...about,
    note: `${server.version}; ${about.note}`,
    seconds: [],
    async time() {
      const script = join(import.meta.dirname, "yardstick.mjs");
      const { stdout } = await run(process.execPath, [script, queue, String(server.port), String(jobs), "2"]);
      // The first of a process warms it up.
      const [, second] = z.parse(z.array(z.number()), JSON.parse(stdout));
      if (second === undefined) throw new Error(`${queue} timed nothing`);
      return second;
    },
  };
}

const service = await startBenchService();
try {
  let plans = 0;
  const { decisions } = noOps(jobs);
  const ours: Contender = {
    name: "Planledger, embedded",
    note: "one plan; table on disk, queue in memory; every decision durable and chained, the run signed",
    seconds: [],
    async time() {
      plans += 1;
      const planId = `plan-${plans}`;
      const from = performance.now();
      await service.client.executePlan({ planId, plan: { decisions } });
      const seconds = ((await service.ended(planId)) - from) / 1000;
      await requireLanded(service, { planId, decisions: jobs });
      return seconds;
    },
  };
  const contenders = [ours];
  const lacking = installYardsticks();
  if (lacking !== undefined) missing.push(lacking);
  else {
    const redis = await started(findRedis(), startRedis);
    const postgres = await started(findPostgres(), startPostgres);
    if (redis !== undefined) {
      contenders.push(yardstick("bullmq", redis, { name: "BullMQ, 50 at once", note: "in memory" }));
    }
    if (postgres !== undefined) {
      contenders.push(
        yardstick("graphile", postgres, { name: "graphile-worker, 10 at once", note: "on disk" }),
        yardstick("graphile-tuned", postgres, {
          name: "graphile-worker, tuned",
          note: "on disk; 24 at once, local queue of 500, batched completion",
        }),
        yardstick("pg-boss", postgres, { name: "pg-boss, batches of 500", note: "on disk" }),
      );
    }
  }
  // Warm: the code of a service that has run for a while.
  for (let warm = 0; warm < 2; warm += 1) await ours.time();
  print(`${machine()}\n${jobs} jobs that do nothing, submit to complete, medians of ${rounds} rounds\n\n`);
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) contender.seconds.push(await contender.time());
  }
  print(
    table(
      ["", "seconds", "jobs / s", "least", "most"],
      contenders.map(({ name, seconds }) => [
        name,
        median(seconds).toFixed(3),
        (jobs / median(seconds)).toFixed(0),
        (jobs / Math.max(...seconds)).toFixed(0),
        (jobs / Math.min(...seconds)).toFixed(0),
      ]),
    ),
  );
  print("\n");
  for (const { name, note } of contenders) print(`${name}: ${note}\n`);
  for (const what of missing) print(`left out: ${what}\n`);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await service.stop();
}
