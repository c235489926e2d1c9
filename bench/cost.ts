import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { priceList } from "#lib/service/price-list.ts";
import { startCountedService } from "../test/slow/counted-service.testkit.ts";
import { sourceText } from "../test/slow/source-text.testkit.ts";
import { billedRequests, perDecision } from "../test/slow/wire-units.testkit.ts";
import { countPlan } from "./count-plan.ts";
import { countSync } from "./count-sync.ts";
import { peerCost, peers } from "./peers.ts";
import { table } from "./table.ts";
import { costLines, httpTime, type Usage, usdPerMillion, workerTime } from "./usage.ts";
import { edits, incompressible, noOps, rewrites, type Workload } from "./workload.ts";

/**
 * `npm run bench [-- --decisions N --large N --items N]`: what a decision and a synced item cost, from units counted at the
 * wire between the embedded service and its table, queue and bucket, submission included. Prints units, the arithmetic by
 * the dated price list, and what others take for the same work by theirs. It checks every outcome.
 */
const { values } = parseArgs({
  options: {
    decisions: { type: "string", default: "1000" },
    large: { type: "string", default: "10000" },
    items: { type: "string", default: "1000" },
  },
});
const whole = (name: keyof typeof values): number => {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new Error(`--${name} must be a whole number of at least 1`);
};
const [decisions, large, items] = [whole("decisions"), whole("large"), whole("items")];
const blockBytes = 2048;
const files = 50;
const editing = (count: number, blocksPerFile = 1): Workload =>
  edits({ decisions: count, files, blocksPerFile, blockBytes });

const workloads: readonly { readonly name: string; readonly workload: Workload }[] = [
  { name: "2 KB edits of 2 KB files (the budget)", workload: editing(decisions) },
  { name: "2 KB edits of 4 KB files", workload: editing(decisions, 2) },
  { name: "2 KB edits of 8 KB files", workload: editing(decisions, 4) },
  { name: "2 KB files written whole", workload: rewrites({ decisions, files, sizeBytes: blockBytes }) },
  { name: "8 KB files written whole", workload: rewrites({ decisions, files, sizeBytes: 4 * blockBytes }) },
  { name: "2 KB of random bytes", workload: incompressible({ decisions, sizeBytes: blockBytes }) },
  { name: "no tool call", workload: noOps(decisions) },
  { name: `2 KB edits, ${large} decisions`, workload: editing(large) },
  { name: "2 KB edits, a plan of one decision", workload: editing(1) },
];

const print = (text: string): void => void process.stdout.write(text);
const service = await startCountedService();
try {
  const sample = sourceText(1, blockBytes);
  const ratio = sample.length / gzipSync(sample).length;
  print(
    `Units per decision, plans of ${decisions} decisions; gzip makes the source text ${ratio.toFixed(2)} times smaller\n\n`,
  );
  const counted: { readonly name: string; readonly usage: Usage; readonly count: number }[] = [];
  for (const [index, { name, workload }] of workloads.entries()) {
    const usage = await countPlan(service, { name: `bench-${index}`, workload });
    counted.push({ name, usage, count: workload.decisions.length });
  }
  const shown = (value: number, digits = 3): string => value.toFixed(digits);
  print(
    table(
      ["plan", "write units", "read units", "requests", "object puts", "gets", "bytes sent", "USD / million"],
      counted.map(({ name, usage, count }) => {
        const used = perDecision(usage, count);
        return [
          name,
          shown(used.writeUnits),
          shown(used.readUnits),
          shown(billedRequests(used)),
          shown(used.objectPuts),
          shown(used.objectGets),
          shown(used.sentBytes, 0),
          shown(usdPerMillion(costLines(usage, { count, seconds: workerTime.seconds })), 2),
        ];
      }),
    ),
  );
  const [budget] = counted;
  if (budget === undefined) throw new Error("no workload");
  const lines = costLines(budget.usage, { count: budget.count, seconds: workerTime.seconds });
  print(
    `\nThe budget's plan, per decision (budgets: 1.3 write units, 0.5 requests of queue and worker, 1.00 USD per million).\nA decision is ${workerTime.seconds * 1000} ms of ${workerTime.gigabytes * 1024} MB by definition, an HTTP request ${httpTime.seconds * 1000} ms of ${httpTime.gigabytes * 1024} MB by assumption.\nPrices of ${priceList.date}, us-east-1, on demand, no free shares.\n\n`,
  );
  print(
    table(
      ["", "units", "USD each", "USD / million"],
      [
        ...lines.map(({ name, units, usdEach }) => [
          name,
          units.toPrecision(4),
          usdEach.toString(),
          shown(1e6 * units * usdEach, 4),
        ]),
        ["total", "", "", shown(usdPerMillion(lines), 4)],
      ],
    ),
  );
  print("\nThe same work elsewhere, USD per million decisions, by public price lists\n\n");
  print(
    table(
      ["service", "least", "usual", "prices of", "source"],
      [
        ["Planledger", shown(usdPerMillion(lines), 2), "", priceList.date, "this count"],
        ...peers.map((peer) => {
          const { least, usual } = peerCost(peer);
          return [peer.name, shown(least, 2), usual === least ? "" : shown(usual, 2), peer.date, peer.source];
        }),
      ],
    ),
  );

  print(`\nUnits per synced item, ${items} skills of 0.6 KB\n\n`);
  print(
    table(
      ["items", "client requests", "write units", "read units", "object puts", "bytes sent", "USD / million"],
      (await countSync(service, items)).map(({ name, items: count, requests, usage }) => {
        const used = perDecision(usage, count);
        return [
          name,
          String(requests),
          shown(used.writeUnits),
          shown(used.readUnits),
          shown(used.objectPuts),
          shown(used.sentBytes, 0),
          shown(usdPerMillion(costLines(usage, { count, seconds: 0 })), 2),
        ];
      }),
    ),
  );
} finally {
  await service.stop();
}
