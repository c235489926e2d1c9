import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { uploadTree } from "#lib/client/upload-tree.ts";
import { priceList } from "#lib/service/price-list.ts";
import { startCountedService } from "../test/slow/counted-service.testkit.ts";
import { sourceText } from "../test/slow/source-text.testkit.ts";
import { billedRequests, perDecision, unitsOf } from "../test/slow/wire-units.testkit.ts";

/**
 * `node bench/decision-cost.ts [--decisions N]`: what a decision costs, from units counted at the wire between the embedded
 * service and its table, queue and bucket, submission included: a plan of N decisions (1,000), each a 2 KB edit of source
 * text. Prints units per decision, the cost of a million by the dated price list, and the arithmetic. It checks its outcome.
 */
const { values } = parseArgs({ options: { decisions: { type: "string", default: "1000" } } });
const decisions = Number(values.decisions);
if (!Number.isSafeInteger(decisions) || decisions < 1) {
  throw new Error("--decisions must be a whole number of at least 1");
}
const fileCount = 50;
const blockBytes = 2048;
const worker = { seconds: 0.05, gigabytes: 0.5 };

const block = (file: number, version: number): string => sourceText(file + version * fileCount, blockBytes);
const pathOf = (file: number): string => `src/module-${file}.ts`;
const service = await startCountedService();
try {
  const client = await service.clientOf("bench");
  const { tree } = await uploadTree({
    client,
    files: Array.from({ length: fileCount }, (_, file) => ({
      path: pathOf(file),
      mode: "100644" as const,
      read: async () => Buffer.from(block(file, 0)),
    })),
  });
  const plan = {
    projectResources: { app: { tree } },
    decisions: Array.from({ length: decisions }, (_, index) => {
      const file = index % fileCount;
      const version = Math.floor(index / fileCount);
      const edits = [{ oldText: block(file, version), newText: block(file, version + 1) }];
      return { id: `d${index}`, toolCalls: [{ tool: "edit_file", input: { path: pathOf(file), edits } }] };
    }),
  };
  const from = service.wire.calls.length;
  await client.executePlan({ planId: "cost", plan });
  const frontier = await service.frontiers.ended({ tenant: "bench", planId: "cost" });
  if (frontier.counts.landed !== decisions) throw new Error(`only ${frontier.counts.landed} landed`);

  const used = perDecision(unitsOf(service.wire.calls.slice(from)), decisions);
  const sample = block(0, 1);
  const ratio = sample.length / gzipSync(sample).length;
  const print = (name: string, value: number, unit = ""): void =>
    void process.stdout.write(`${name.padEnd(44)} ${value.toFixed(4).padStart(10)} ${unit}\n`);
  process.stdout.write(
    `${decisions} decisions, each a ${blockBytes}-byte edit (gzip ${ratio.toFixed(2)} : 1)\n\nper decision\n`,
  );
  print("write units (budget 1.3)", used.writeUnits);
  print("read units", used.readUnits);
  print("billed requests, queue and function (0.5)", billedRequests(used));
  print("object puts", used.objectPuts);
  print("object gets", used.objectGets);

  const million = 1e6;
  const lines = [
    ["write units", used.writeUnits * priceList.dynamodbWriteUnit],
    ["read units", used.readUnits * priceList.dynamodbReadUnit],
    ["queue requests", used.queueRequests * priceList.sqsRequest],
    ["function requests", used.invocations * priceList.lambdaRequest],
    [
      "function time, 50 ms at 512 MB each",
      worker.seconds * worker.gigabytes * priceList.lambdaGigabyteSecond,
    ],
    ["object puts", used.objectPuts * priceList.s3PutRequest],
  ] as const;
  process.stdout.write(`\nUSD per 1,000,000 decisions (prices of ${priceList.date}, us-east-1)\n`);
  for (const [name, each] of lines) print(name, each * million);
  print("total (budget 1.00)", lines.reduce((total, [, each]) => total + each, 0) * million);
} finally {
  await service.stop();
}
