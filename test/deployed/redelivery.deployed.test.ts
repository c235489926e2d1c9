import assert from "node:assert/strict";
import { test } from "node:test";
import { consume, misconfigure } from "./deployed-functions.testkit.ts";
import { lookInto, messagesIn, redrive, send, withVisibility } from "./deployed-queues.testkit.ts";
import { eventually, newPlanId, saveWithoutHint, service } from "./deployed-service.testkit.ts";

/** Far ahead, so that the reconciler leaves the plan alone while a test runs. */
const inAnHour = -60 * 60_000;
const empty = (queue: string) =>
  eventually(`${queue} is empty`, async () => ((await messagesIn(queue)) === 0 ? true : undefined));

test("F3: of a batch only the message that fails comes back, until it lies among the dead letters, whose consumer settles it", async (t) => {
  t.after(await withVisibility("decisions", 1));
  t.after(() => consume("executeDeadLetter", true));
  t.after(() => consume("executeWorker", true));
  await consume("executeDeadLetter", false);
  await consume("executeWorker", false);
  const planIds = [newPlanId(), newPlanId()];
  const hints = await Promise.all(planIds.map((planId) => saveWithoutHint(planId, inAnHour)));
  await send("decisions", ["no hint", ...hints.map((hint) => JSON.stringify(hint))]);
  await consume("executeWorker", true);
  for (const planId of planIds) assert.equal((await service.ended(planId)).phase, "completed");
  const [message] = await eventually("a message is dead", async () => {
    const found = await lookInto("decisionsDeadLetter");
    return found.length === 0 ? undefined : found;
  });
  assert.equal(message?.Body, "no hint");
  // Had the batch come back whole, the others would lie beside it.
  await empty("decisions");
  assert.equal(await messagesIn("decisionsDeadLetter"), 1);
  await consume("executeDeadLetter", true);
  await empty("decisionsDeadLetter");
});

test("F1: a worker that is deployed wrong loses nothing: its messages are dead letters, and a redrive completes the plans", async (t) => {
  t.after(await withVisibility("decisions", 1));
  t.after(() => consume("executeDeadLetter", true));
  await consume("executeDeadLetter", false);
  const repair = await misconfigure("executeWorker", { TABLE_NAME: "" });
  t.after(repair);
  const planIds = [newPlanId(), newPlanId(), newPlanId()];
  const hints = await Promise.all(planIds.map((planId) => saveWithoutHint(planId, inAnHour)));
  await send(
    "decisions",
    hints.map((hint) => JSON.stringify(hint)),
  );
  await eventually("all are dead", async () =>
    (await messagesIn("decisionsDeadLetter")) === planIds.length ? true : undefined,
  );
  const [status] = await Promise.all(planIds.map((planId) => service.send(`/v1/plans/${planId}`)));
  assert.match(status?.text ?? "", /"phase":"submitted"/);
  await repair();
  await redrive("decisionsDeadLetter");
  for (const planId of planIds) assert.equal((await service.ended(planId)).phase, "completed");
  await empty("decisionsDeadLetter");
});

test("dead letters whose cause is gone need no operator: their consumer sends them on", async () => {
  const planId = newPlanId();
  const hint = await saveWithoutHint(planId, inAnHour);
  await send("decisionsDeadLetter", [JSON.stringify(hint)]);
  assert.equal((await service.ended(planId)).phase, "completed");
  await empty("decisionsDeadLetter");
});
