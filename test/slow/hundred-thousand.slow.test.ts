import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startAwsWire } from "./aws-wire.testkit.ts";
import { startDev } from "./dev-process.testkit.ts";
import { watchFrontiers } from "./ended-plan.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { billedRequests, perDecision, type UsedUnits, unitsOf } from "./wire-units.testkit.ts";

const skip = process.env.LONG === "1" ? false : "takes minutes; LONG=1 runs it";

test("F24: a decision of a plan of 100,000 costs what one of a plan of 1,000 does, within 10 %", {
  skip,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), "hundred-thousand-"));
  const wire = await startAwsWire();
  const dev = await startDev({
    cwd: directory,
    port: 0,
    dataDir: join(directory, "data"),
    env: { AWS_ENDPOINT_URL: wire.url },
  });
  const frontiers = watchFrontiers(wire.direct.dynamodbEndpoint);
  try {
    const used: UsedUnits[] = [];
    for (const count of [1000, 100_000]) {
      const planId = `no-ops-${count}`;
      const decisions = Array.from({ length: count }, (_, index) => ({ id: `d${index}` }));
      const from = wire.calls.length;
      const startedAt = performance.now();
      await dev.client.executePlan({ planId, plan: { decisions } });
      const { state, counts } = await frontiers.ended({ planId });
      const seconds = (performance.now() - startedAt) / 1000;
      assert.deepEqual([state.phase, counts.landed], ["completed", count]);
      const per = perDecision(unitsOf(wire.calls.slice(from)), count);
      used.push(per);
      measured(`${count} decisions`, { seconds, "decisions/s": count / seconds, ...per });
      let events = 0;
      for await (const { seq } of dev.client.events({ planId })) {
        events += 1;
        assert.equal(seq, events);
      }
      assert.equal(events, count + 2);
    }
    const [small, large] = used;
    assert.ok(small && large);
    assert.ok(large.writeUnits <= 1.1 * small.writeUnits, `${large.writeUnits} against ${small.writeUnits}`);
    assert.ok(
      large.readUnits <= 1.1 * small.readUnits + 0.01,
      `${large.readUnits} against ${small.readUnits}`,
    );
    assert.ok(large.tableRequests <= 1.1 * small.tableRequests);
    assert.ok(billedRequests(large) <= 1.1 * billedRequests(small) + 0.01);
    assert.ok(large.objectGets <= small.objectGets + 0.02 && large.objectPuts <= small.objectPuts + 0.02);
  } finally {
    frontiers.stop();
    await dev.stop();
    await wire.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
