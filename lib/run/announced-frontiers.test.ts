import assert from "node:assert/strict";
import { test } from "node:test";
import { announcedFrontiers } from "./announced-frontiers.ts";
import { cancelPlan } from "./control-run.ts";
import { lastSequence } from "./phase-change.ts";
import { resumePlan } from "./resume-plan.ts";
import { key, memoryWorld } from "./run-plan.testkit.ts";

/** Each run is submitted and cancelled, and resumed as the next one; answers the sequence at which each stopped. */
async function sequences(listening: readonly { readonly opens: boolean; readonly ends: boolean }[]) {
  const world = memoryWorld();
  await world.submit({
    decisions: [{ id: "d0", toolCalls: [] }],
    projectResources: { app: { project: "local/app" } },
  });
  let isListening = true;
  const frontiers = announcedFrontiers(world.ports.frontiers, {
    listens: async () => isListening,
    phaseHints: { send: async () => undefined },
    log: { write: () => undefined },
  });
  const ports = { ...world.ports, frontiers, ids: { ulid: () => "01JB0000000000000000000000" } };
  const stoppedAt: number[] = [];
  for (const [index, { opens, ends }] of listening.entries()) {
    isListening = opens;
    if (index > 0) await resumePlan(key, { by: "ada" }, ports);
    isListening = ends;
    await cancelPlan(key, { by: "ada" }, ports);
    const standing = await frontiers.latest(key);
    assert.equal(standing?.state.phase, "cancelled");
    stoppedAt.push(lastSequence(standing));
  }
  return stoppedAt;
}

test("changes of phase are counted on over runs to which nobody listened", async () => {
  const told = { opens: true, ends: true };
  const untold = { opens: false, ends: false };
  // The first one is opened before anybody listens: its end alone is counted, of the third its beginning too.
  assert.deepEqual(await sequences([told, untold, told]), [1, 0, 3]);
  assert.deepEqual(await sequences([told, { opens: false, ends: true }]), [1, 2]);
});
