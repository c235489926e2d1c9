import assert from "node:assert/strict";
import { mock } from "node:test";
import { Webhook } from "standardwebhooks";
import * as z from "zod/mini";
import { allowedHosts } from "#lib/outbound/allowed-hosts.ts";
import { reconcileRuns } from "#lib/run/reconcile-runs.ts";
import type { ReceivedRequest } from "#lib/tools/external/outside.testkit.ts";
import type { PostWebhook, PutPhaseEvent } from "#lib/webhook/deliver-phase.ts";
import type { DeliveryMessage } from "#lib/webhook/delivery.ts";
import { postWebhook } from "#lib/webhook/post-webhook.ts";
import { reconcileDeliveries } from "#lib/webhook/reconcile-deliveries.ts";
import { inMemoryService, lambdaContext, queueEvent } from "../in-memory-service.testkit.ts";
import { queueFunction } from "../queue-function.ts";
import { announceOnMessage, deliverOnMessage } from "./on-message.ts";

/** What a test reads of a JSON answer, without a schema: the handlers hold their replies to those already. */
export const fields = (value: unknown): Record<string, unknown> => ({ ...Object(value) });

const message = z.object({
  type: z.literal("plan.phase_changed"),
  timestamp: z.string(),
  data: z.looseObject({
    planId: z.string(),
    run: z.number(),
    phase: z.string(),
    sequence: z.number(),
    digest: z.optional(z.string()),
    counts: z.record(z.string(), z.number()),
  }),
});

/** What a receiver got, as it would read it. */
export const told = ({ body }: Pick<ReceivedRequest, "body">) => message.parse(JSON.parse(body));

/** `planId sequence phase` of everything that was received, in the order of plans and sequences, once each. */
export const phasesTold = (received: readonly ReceivedRequest[]): readonly string[] =>
  [
    ...new Set(
      received.map((request) => {
        const { planId, sequence, phase } = told(request).data;
        return `${planId} ${sequence} ${phase}`;
      }),
    ),
  ].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));

/** Verified as a receiver would at that time; throws where the signature is not right. */
export const verified = (
  { headers, body }: ReceivedRequest,
  secret: string,
  at: { readonly nowEpochMs: number },
): unknown => {
  mock.timers.enable({ apis: ["Date"], now: at.nowEpochMs });
  try {
    const sent = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    );
    return new Webhook(secret).verify(body, Object.fromEntries(sent));
  } finally {
    mock.timers.reset();
  }
};

export const writing = (path = "a.txt", content = "the content of a file") => ({
  decisions: [{ id: "d1", toolCalls: [{ tool: "write_file", input: { path, content } }] }],
});

export type WebhookScene = ReturnType<typeof webhookScene>;

/** A service in memory, and everything that tells phases. */
export const webhookScene = (
  options: { readonly post?: PostWebhook; readonly putEvent?: PutPhaseEvent; readonly limitMs?: number } = {},
) => {
  const service = inMemoryService();
  const { ports } = service;
  const outbound = {
    allowedHosts: allowedHosts(["127.0.0.1"]),
    resolve: async (host: string) => (host === "inside.test" ? ["10.0.0.7"] : []),
  };
  const announcePorts = {
    frontiers: service.storedFrontiers,
    webhooks: ports.webhooks,
    deliveries: ports.deliveries,
    queue: ports.deliveryQueue,
    hasBus: options.putEvent !== undefined,
    clock: ports.clock,
  };
  const deliverPorts = {
    webhooks: ports.webhooks,
    deliveries: ports.deliveries,
    queue: ports.deliveryQueue,
    post: options.post ?? postWebhook(outbound, options.limitMs ?? 5_000),
    putEvent: options.putEvent,
    secrets: ports.namedSecrets,
    clock: ports.clock,
    random: () => 1,
  };
  const announcer = queueFunction({ log: ports.log, handle: announceOnMessage(announcePorts, ports.log) });
  const deliverer = queueFunction({ log: ports.log, handle: deliverOnMessage(deliverPorts, ports.log) });
  const one = async (handler: ReturnType<typeof queueFunction>, body: unknown) => {
    const { batchItemFailures } = await handler(queueEvent([JSON.stringify(body)]), lambdaContext());
    assert.deepEqual(batchItemFailures, []);
  };

  const scene = {
    ...service,
    service,
    announcePorts,
    deliverPorts,
    announce: (hint: object) => one(announcer, hint),
    deliver: (sent: DeliveryMessage) => one(deliverer, sent),
    async putWebhook(name: string, body: object) {
      const answer = await service.send(`/v1/webhooks/${name}`, { method: "PUT", body });
      assert.ok(answer.status < 300, answer.bytes.toString());
      return { status: answer.status, ...fields(answer.json()) } as Record<string, unknown>;
    },
    async webhook(name: string) {
      return fields((await service.send(`/v1/webhooks/${name}`)).json());
    },
    async deliveries(name: string): Promise<readonly Record<string, unknown>[]> {
      const answer = await service.send(`/v1/webhooks/${name}/deliveries?limit=100`);
      assert.equal(answer.status, 200, answer.bytes.toString());
      const { deliveries } = fields(answer.json());
      assert.ok(Array.isArray(deliveries));
      return deliveries.map(fields);
    },
    async submit(planId: string, plan: object = writing()) {
      const answer = await service.send(`/v1/plans/${planId}/execute`, { body: plan });
      assert.equal(answer.status, 202, answer.bytes.toString());
    },
    async phase(planId: string) {
      return fields((await service.send(`/v1/plans/${planId}`)).json()).phase;
    },
    /** Tells everything that is due; what waits longer than that stays. */
    async tell() {
      for (;;) {
        const hint = service.phaseHints.shift();
        if (hint !== undefined) {
          await scene.announce(hint);
          continue;
        }
        const index = service.deliveryMessages.findIndex(({ delaySeconds }) => delaySeconds === 0);
        const [next] = index < 0 ? [] : service.deliveryMessages.splice(index, 1);
        if (next === undefined) return;
        await scene.deliver(next.message);
      }
    },
    /** Runs everything, and tells it. */
    async run() {
      await service.drain();
      await scene.tell();
    },
    /** Lets the longest delay of a waiting message pass, and delivers what waited. Answers that delay. */
    async wait(): Promise<number> {
      const waiting = service.deliveryMessages.splice(0);
      const delaySeconds = Math.max(0, ...waiting.map((sent) => sent.delaySeconds));
      service.advanceClock(delaySeconds * 1000);
      for (const { message: sent } of waiting) await scene.deliver(sent);
      return delaySeconds;
    },
    /** As the schedule does, or as the start of a service whose queues were lost. */
    async reconcile(all = false) {
      const dueByEpochSeconds = all ? 9_999_999_999 : Math.floor(ports.clock.now() / 1000);
      const { storedFrontiers: frontiers, ports: servicePorts } = service;
      await reconcileRuns({ dueByEpochSeconds }, { ...servicePorts, frontiers });
      await reconcileDeliveries({ dueByEpochSeconds }, announcePortsWithDue);
    },
  };
  const announcePortsWithDue = { ...announcePorts, deliveries: ports.deliveries };
  return scene;
};
