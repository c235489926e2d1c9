import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import { inMemoryService, lambdaContext, queueEvent } from "../in-memory-service.testkit.ts";
import { queueFunction } from "../queue-function.ts";
import { buryMessage } from "./work-on-message.ts";

const plan = {
  decisions: [1, 2].map((n) => ({
    id: `d${n}`,
    toolCalls: [{ tool: "write_file", input: { path: `${n}.txt`, content: "x" } }],
  })),
};
const failures = z.object({ batchItemFailures: z.array(z.unknown()) });
const status = z.object({
  phase: z.string(),
  counts: z.object({ landed: z.number(), failed: z.number() }),
  digest: z.optional(z.string()),
});

test("a key that may not be used holds a run up and fails no decision of it, however often its message dies", async () => {
  const service = inMemoryService();
  await service.send("/v1/plans/p1/execute", { body: plan });
  const [hint] = service.hints.splice(0);
  const refused = async (): Promise<never> => {
    throw new InfrastructureError({ code: "signing_refused", message: "AccessDeniedException." });
  };
  const signer = { sign: refused, publicKey: refused };
  const { worker } = service.using({ signer });
  const bury = queueFunction({
    log: service.ports.log,
    handle: buryMessage({ ...service.ports, signer }, service.ports.log),
  });
  const deliver = async (handler: typeof worker, receiveCount: number): Promise<number> => {
    const result = await handler(queueEvent([JSON.stringify(hint)], receiveCount), lambdaContext());
    return failures.parse(result).batchItemFailures.length;
  };
  for (const receiveCount of [1, 2, 3, 4, 5, 6, 7]) assert.equal(await deliver(worker, receiveCount), 1);
  // Its dead letter is a new hint, and nothing else.
  assert.equal(await deliver(bury, 1), 0);
  assert.equal(service.hints.length, 1);
  const reading = async () => status.parse((await service.send("/v1/plans/p1")).json());
  assert.equal((await reading()).phase, "running");

  // Granted again.
  await service.drain();
  const ended = await reading();
  assert.deepEqual([ended.phase, ended.counts], ["completed", { landed: 2, failed: 0 }]);
  assert.match(ended.digest ?? "", /^[0-9a-f]{64}$/);
});
