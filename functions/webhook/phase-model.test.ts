import { test } from "node:test";
import fc from "fast-check";
import { seededChoices } from "#lib/run/simulation.testkit.ts";
import { assertAllTold, type PhaseRival, phaseModel, runPhaseSchedule } from "./phase-model.testkit.ts";

const numRuns = Number(process.env.MODEL_RUNS ?? 120);

test("whatever runs into what, dies, fails or is lost: the phases that a plan had are told, all of them and no other", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        seed: fc.integer(),
        faults: fc.nat(8),
        decisions: fc.integer({ min: 0, max: 70 }),
        rivals: fc.array(
          fc.constantFrom<PhaseRival>("pause", "resume", "pause", "resume", "cancel", "worker"),
          {
            maxLength: 6,
          },
        ),
      }),
      async ({ seed, decisions, ...schedule }) => {
        const model = await phaseModel(decisions);
        try {
          await runPhaseSchedule(model, { ...schedule, choices: seededChoices(seed) });
          await assertAllTold(model);
        } finally {
          model.sim.end();
        }
      },
    ),
    { numRuns },
  );
});
