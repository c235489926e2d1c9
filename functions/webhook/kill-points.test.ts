import assert from "node:assert/strict";
import { test } from "node:test";
import { announcedFrontiers } from "#lib/run/announced-frontiers.ts";
import { lambdaContext, owner, queueEvent } from "../in-memory-service.testkit.ts";
import { queueFunction } from "../queue-function.ts";
import { announceOnMessage, deliverOnMessage } from "./on-message.ts";
import { fields, webhookScene, writing } from "./webhook-scene.testkit.ts";

class Killed extends Error {}

/** A process that dies at one call of a port: nothing that it does afterwards reaches anything, until the next one starts. */
const mortal = (at: { readonly call: number; readonly when: "before" | "after" }) => {
  let calls = 0;
  let dead = false;
  const killed = async (): Promise<never> => {
    dead = true;
    throw new Killed("the process is gone");
  };
  return {
    get calls() {
      return calls;
    },
    start() {
      dead = false;
    },
    port<T extends object>(target: T): T {
      return new Proxy(target, {
        get: (on, name) => {
          const method: unknown = Reflect.get(on, name);
          if (typeof method !== "function") return method;
          return async (...given: readonly unknown[]) => {
            if (dead) return killed();
            calls += 1;
            const mine = calls;
            if (mine === at.call && at.when === "before") return killed();
            const answer: unknown = await Reflect.apply(method, on, given);
            return mine === at.call ? killed() : answer;
          };
        },
      });
    },
  };
};

/** One plan from submission to its last delivery, with one death; answers what was posted and how many calls there were. */
const livedThrough = async (
  at: Parameters<typeof mortal>[0],
  queues: "redeliver" | "are lost",
): Promise<{
  readonly calls: number;
  readonly told: readonly string[];
  readonly ids: ReadonlySet<string>;
}> => {
  const told: string[] = [];
  const ids = new Set<string>();
  const scene = webhookScene();
  const process = mortal(at);
  const { ports, hints, phaseHints, deliveryMessages } = scene;
  await scene.putWebhook("ops", { url: "https://example.com/hook" });
  const stored = process.port(scene.storedFrontiers);
  const webhooks = process.port(ports.webhooks);
  const deliveries = process.port(ports.deliveries);
  const deliveryQueue = process.port(ports.deliveryQueue);
  const frontiers = announcedFrontiers(stored, {
    listens: (tenant) => webhooks.listens(tenant),
    phaseHints: process.port(ports.phaseHints),
    log: ports.log,
  });
  const mortalService = scene.service.using({ frontiers });
  const announcer = queueFunction({
    log: ports.log,
    handle: announceOnMessage(
      { ...scene.announcePorts, frontiers: stored, webhooks, deliveries, queue: deliveryQueue },
      ports.log,
    ),
  });
  const receiver = process.port({
    async post({ headers, body }: { headers: Readonly<Record<string, string>>; body: string }) {
      ids.add(headers["webhook-id"] ?? "");
      told.push(String(fields(fields(JSON.parse(body)).data).phase));
      return { kind: "answered", status: 200 } as const;
    },
  });
  const deliverer = queueFunction({
    log: ports.log,
    handle: deliverOnMessage(
      {
        ...scene.deliverPorts,
        webhooks,
        deliveries,
        queue: deliveryQueue,
        post: (sent) => receiver.post(sent),
      },
      ports.log,
    ),
  });

  /** Handles one message of a queue; a death gives it back, or takes all queues with it. */
  const handle = async (queue: unknown[], handler: typeof announcer, body: unknown) => {
    process.start();
    const message = queue.shift();
    const { batchItemFailures } = await handler(queueEvent([JSON.stringify(body)]), lambdaContext());
    if (batchItemFailures.length === 0) return;
    if (queues === "redeliver") queue.push(message);
    else await loseQueues();
  };
  const loseQueues = async () => {
    for (const queue of [hints, phaseHints, deliveryMessages]) queue.length = 0;
    await scene.reconcile(true);
  };
  const drain = async () => {
    for (;;) {
      if (hints[0] !== undefined) await handle(hints, mortalService.worker, hints[0]);
      else if (phaseHints[0] !== undefined) await handle(phaseHints, announcer, phaseHints[0]);
      else if (deliveryMessages[0] !== undefined) {
        await handle(deliveryMessages, deliverer, deliveryMessages[0].message);
      } else return;
    }
  };

  for (let status = 0; status !== 202; ) {
    process.start();
    ({ status } = await mortalService.send("/v1/plans/p1/execute", { body: writing() }));
    if (status !== 202 && queues === "are lost") await loseQueues();
  }
  await drain();
  // The schedule, as long as anything is due.
  for (let round = 0; round < 4; round += 1) {
    scene.advanceClock(180_000);
    await scene.reconcile();
    await drain();
  }
  const frontier = await scene.storedFrontiers.latest({ tenant: owner.tenant, planId: "p1" });
  assert.equal(frontier?.state.phase, "completed");
  assert.equal(frontier.nextCheckEpochSeconds, undefined, "nobody has to look after it any more");
  const states = (await scene.deliveries("ops")).map(({ state }) => state);
  assert.deepEqual(states, ["delivered", "delivered", "delivered"]);
  return { calls: process.calls, told, ids };
};

for (const queues of ["redeliver", "are lost"] as const) {
  for (const when of ["before", "after"] as const) {
    test(`a death ${when} any call between a phase and its delivery loses no phase, where queues ${queues}`, async () => {
      let deaths = 0;
      for (let call = 1; ; call += 1) {
        const lived = await livedThrough({ call, when }, queues);
        const at = `death ${when} call ${call}`;
        assert.deepEqual([...new Set(lived.told)].sort(), ["completed", "running", "submitted"], at);
        assert.equal(lived.ids.size, 3, at);
        // What is told twice is told under the id that it had.
        assert.ok(lived.told.length <= 4, at);
        if (call > lived.calls) break;
        deaths += 1;
      }
      assert.ok(deaths > 30, `${deaths} places to die at`);
    });
  }
}
