import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { countPlan } from "../bench/count-plan.ts";
import { costLines, usdPerMillion, workerTime } from "../bench/usage.ts";
import { edits } from "../bench/workload.ts";
import { startCountedService } from "./slow/counted-service.testkit.ts";
import { sourceText } from "./slow/source-text.testkit.ts";
import { billedRequests, perDecision } from "./slow/wire-units.testkit.ts";

/** Far more than the units below take: a busy machine cuts steps short, and the budgets must hold there too. */
const budget = { writeUnits: 1.3, billedRequests: 0.5, usdPerMillion: 1 };

test("a plan of 1,000 decisions with 2 KB edits stays within the budgets of write units, requests and cost", async () => {
  const text = sourceText(1, 2048);
  assert.ok(text.length === 2048 && text.length / gzipSync(text).length <= 3);
  const service = await startCountedService();
  try {
    const workload = edits({ decisions: 1000, files: 50, blocksPerFile: 1, blockBytes: 2048 });
    const usage = await countPlan(service, { name: "budget", workload });
    const used = perDecision(usage, 1000);
    assert.ok(used.writeUnits > 0.1, `${used.writeUnits} write units: they are not counted`);
    assert.ok(used.writeUnits <= budget.writeUnits, `${used.writeUnits} write units a decision`);
    assert.ok(billedRequests(used) <= budget.billedRequests, `${billedRequests(used)} requests a decision`);
    const usd = usdPerMillion(costLines(usage, { count: 1000, seconds: workerTime.seconds }));
    assert.ok(usd > 0.34 && usd <= budget.usdPerMillion, `${usd} USD per million decisions`);
  } finally {
    await service.stop();
  }
});
