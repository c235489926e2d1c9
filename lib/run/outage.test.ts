import assert from "node:assert/strict";
import { test } from "node:test";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { advanceRun } from "./advance-run.ts";
import { key, type MemoryWorld, memoryWorld } from "./run-plan.testkit.ts";
import type { RunPorts } from "./run-ports.ts";
import type { Hint } from "./run-store.ts";
import { hintOf } from "./watch-hint.ts";

const run1 = { ...key, run: 1 };
const visibilitySeconds = 360;
const maximumReceiveCount = 5;
const outageSeconds = 15 * 60;

interface Message {
  readonly hint: Hint;
  visibleAtSeconds: number;
  receiveCount: number;
}

/** The decisions queue second by second: what fails comes back after its visibility time-out, five times. */
async function queueOf(world: MemoryWorld, portsAt: (second: number) => RunPorts, untilSecond: number) {
  const startedAtEpochMs = world.clock.epochMs;
  let queue: Message[] = [{ hint: hintOf(run1), visibleAtSeconds: 0, receiveCount: 0 }];
  let most = 0;
  for (let second = 0; second <= untilSecond; second++) {
    world.clock.epochMs = startedAtEpochMs + second * 1000;
    const due = queue.filter(({ visibleAtSeconds }) => visibleAtSeconds <= second);
    queue = queue.filter((message) => !due.includes(message));
    for (const message of due) {
      world.sent.length = 0;
      const { hint } = message;
      const receiveCount = message.receiveCount + 1;
      const deadlineEpochMs = world.clock.now() + 60_000;
      try {
        await advanceRun({ hint, deadlineEpochMs, receiveCount }, portsAt(second));
      } catch {
        if (receiveCount < maximumReceiveCount) {
          queue.push({ hint, receiveCount, visibleAtSeconds: second + visibilitySeconds });
        }
      }
      for (const { hint: sent, delaySeconds = 0 } of world.sent) {
        queue.push({ hint: sent, visibleAtSeconds: second + delaySeconds, receiveCount: 0 });
      }
    }
    most = Math.max(most, queue.length);
  }
  return { most, left: queue.length };
}

const down = async (): Promise<never> => {
  throw new InfrastructureError({ message: "It does not answer." });
};
const outages: Readonly<Record<string, (ports: RunPorts) => RunPorts>> = {
  "plans cannot be read": (ports) => ({ ...ports, plans: { ...ports.plans, get: down } }),
  "the frontier cannot be moved": (ports) => ({ ...ports, frontiers: { ...ports.frontiers, move: down } }),
  "steps cannot be written": (ports) => ({ ...ports, steps: { ...ports.steps, putIfAbsent: down } }),
  "nothing can be signed": (ports) => ({ ...ports, signer: { ...ports.signer, sign: down } }),
};

for (const [what, broken] of Object.entries(outages)) {
  test(`hints do not multiply in an outage of minutes, and the run ends after it: ${what}`, async () => {
    const world = memoryWorld();
    await world.submit({
      decisions: [{ id: "d1", toolCalls: [] }],
      projectResources: { app: { project: "local/app" } },
    });
    const portsAt = (second: number) => (second < outageSeconds ? broken(world.ports) : world.ports);
    const { most, left } = await queueOf(world, portsAt, outageSeconds + 5 * 60);
    assert.ok(most <= 2 * maximumReceiveCount, `${most} messages were in the queue at once`);
    assert.equal((await world.ports.frontiers.read(run1))?.state.phase, "completed");
    assert.ok(left <= maximumReceiveCount, `${left} messages are left`);
  });
}
