import assert from "node:assert/strict";
import { test } from "node:test";
import { outsideServer, type ReceivedRequest } from "#lib/tools/external/outside.testkit.ts";
import { maxDeliveryAttempts } from "#lib/webhook/delivery-moves.ts";
import { owner } from "../in-memory-service.testkit.ts";
import { fields, phasesTold, told, verified, webhookScene, writing } from "./webhook-scene.testkit.ts";

const hookOf = (server: { readonly url: string }) => ({ url: `${server.url}/hook` });
const outcomes = (delivery: Record<string, unknown> | undefined): readonly unknown[] => {
  const attempts = delivery?.attempts;
  assert.ok(Array.isArray(attempts));
  return attempts.map(fields).map(({ status, error }) => status ?? fields(error).code);
};

test("every phase of a plan is told, signed as Standard Webhooks has it, and nothing that went in or came out", async () => {
  await using receiver = await outsideServer();
  const scene = webhookScene();
  const made = await scene.putWebhook("ops", hookOf(receiver));
  assert.equal(made.status, 201);
  assert.match(String(made.signingSecret), /^whsec_[A-Za-z0-9+/]{43}=$/);
  await scene.submit("p1", writing("secret-path.txt", "the content of a file"));
  await scene.run();
  assert.deepEqual(phasesTold(receiver.received), ["p1 1 submitted", "p1 2 running", "p1 3 completed"]);
  assert.equal(receiver.received.length, 3);
  for (const request of receiver.received) {
    assert.deepEqual([request.method, request.url], ["POST", "/hook"]);
    const secret = String(made.signingSecret);
    assert.deepEqual(verified(request, secret, { nowEpochMs: scene.ports.clock.now() }), told(request));
    assert.throws(() =>
      verified({ ...request, body: `${request.body} ` }, secret, { nowEpochMs: scene.ports.clock.now() }),
    );
    assert.doesNotMatch(JSON.stringify(request), /the content of a file|secret-path|write_file/);
  }
  const ended = told(receiver.received.at(-1) ?? { body: "" }).data;
  const status = fields((await scene.send("/v1/plans/p1")).json());
  assert.equal(ended.digest, status.digest);
  assert.deepEqual(ended.counts, { decisions: 1, final: 1, landed: 1, failed: 0, skipped: 0 });
  assert.equal(told(receiver.received[0] ?? { body: "" }).data.digest, undefined);
  assert.deepEqual((await scene.deliveries("ops")).map(({ phase, state }) => `${phase} ${state}`).sort(), [
    "completed delivered",
    "running delivered",
    "submitted delivered",
  ]);
});

test("where nobody listens nothing is kept, sent or written for it", async () => {
  const scene = webhookScene();
  await scene.submit("p1");
  await scene.drain();
  assert.deepEqual([scene.phaseHints, scene.deliveryMessages], [[], []]);
  const frontier = await scene.storedFrontiers.latest({ tenant: owner.tenant, planId: "p1" });
  assert.equal(frontier?.outbox, undefined);
  assert.equal(frontier?.nextCheckEpochSeconds, undefined);
});

test("sequences count a plan's phases over pause, resume, cancel, a further run and its apply, without gaps", async () => {
  await using receiver = await outsideServer();
  const scene = webhookScene();
  await scene.putWebhook("ops", hookOf(receiver));
  await scene.send("/v1/projects/local/app", { method: "PUT", body: { tree: await emptyTree(scene) } });
  const plan = {
    projectResources: { app: { project: "local/app" } },
    decisions: [{ id: "d1", toolCalls: [{ tool: "delete_file", input: { path: "none.txt" } }] }],
  };
  const order = (what: string, body: object = {}) => scene.send(`/v1/plans/p1/${what}`, { body });
  await scene.submit("p1", plan);
  await order("pause");
  await scene.tell();
  await order("resume");
  await scene.run();
  assert.equal(await scene.phase("p1"), "failed");
  const toolCalls = { d1: [{ tool: "write_file", input: { path: "a.txt", content: "a" } }] };
  assert.equal((await order("resume", { toolCalls })).status, 202);
  await scene.run();
  const { digest } = fields((await scene.send("/v1/plans/p1")).json());
  assert.equal((await order("apply", { digest })).status, 202);
  await scene.run();
  assert.deepEqual(phasesTold(receiver.received), [
    "p1 1 submitted",
    "p1 2 paused",
    "p1 3 submitted",
    "p1 4 running",
    "p1 5 failed",
    "p1 6 submitted",
    "p1 7 running",
    "p1 8 completed",
    "p1 9 applying",
    "p1 10 applied",
  ]);
  assert.deepEqual(
    receiver.received.map((request) => told(request).data.run),
    [1, 1, 1, 1, 1, 2, 2, 2, 2, 2],
  );
  // Nobody looks after a run whose phases are all told.
  const frontier = await scene.storedFrontiers.latest({ tenant: owner.tenant, planId: "p1" });
  assert.equal(frontier?.nextCheckEpochSeconds, undefined);
});

const emptyTree = async (scene: ReturnType<typeof webhookScene>): Promise<string> => {
  const { trees } = scene.ports.storesOf(owner.tenant);
  const { buildTree } = await import("#lib/tree/build-tree.ts");
  return (await buildTree(trees, [])).sha256;
};

test("a webhook is told the phases that it asks for, of its own tenant, since it was made", async () => {
  await using receiver = await outsideServer();
  await using other = await outsideServer();
  const scene = webhookScene();
  await scene.submit("before");
  await scene.run();
  scene.advanceClock(60_000);
  await scene.putWebhook("ends", { ...hookOf(receiver), phases: ["failed", "completed"] });
  const globex = { tenant: "globex", principal: "eve", scopes: owner.scopes };
  await scene.send("/v1/webhooks/theirs", { method: "PUT", body: hookOf(other), caller: globex });
  await scene.submit("after");
  await scene.run();
  assert.deepEqual(phasesTold(receiver.received), ["after 3 completed"]);
  assert.equal(other.connections(), 0);
  assert.equal((await scene.send("/v1/webhooks/ends", { caller: globex })).status, 404);
  assert.equal((await scene.send("/v1/webhooks/ends/deliveries", { caller: globex })).status, 404);
});

test("a webhook that is made while a plan runs is told of its end", async () => {
  await using receiver = await outsideServer();
  const scene = webhookScene();
  await scene.submit("p1");
  await scene.putWebhook("ops", hookOf(receiver));
  await scene.run();
  assert.deepEqual(phasesTold(receiver.received), ["p1 1 completed"]);
});

test("a webhook that is made beside another is told only what comes from then on", async () => {
  await using first = await outsideServer();
  await using second = await outsideServer();
  const scene = webhookScene();
  await scene.putWebhook("first", hookOf(first));
  await scene.submit("p1");
  scene.advanceClock(60_000);
  await scene.putWebhook("second", hookOf(second));
  await scene.run();
  assert.deepEqual(phasesTold(first.received), ["p1 1 submitted", "p1 2 running", "p1 3 completed"]);
  assert.deepEqual(phasesTold(second.received), ["p1 2 running", "p1 3 completed"]);
});

test("hints and messages that come twice tell nothing twice", async () => {
  let status = 500;
  await using receiver = await outsideServer((_, response) => {
    response.statusCode = status;
    response.end();
  });
  const scene = webhookScene();
  await scene.putWebhook("ops", hookOf(receiver));
  await scene.submit("p1");
  const [hint] = scene.phaseHints.splice(0);
  assert.ok(hint);
  await scene.announce(hint);
  await scene.announce(hint);
  const [first, ...more] = scene.deliveryMessages.splice(0);
  assert.ok(first);
  assert.deepEqual(more, []);
  await scene.deliver(first.message);
  assert.deepEqual(
    scene.deliveryMessages.map(({ message }) => message.attempt),
    [1],
  );
  await scene.deliver(first.message);
  assert.deepEqual(
    scene.deliveryMessages.map(({ message }) => message.attempt),
    [1],
  );
  status = 200;
  await scene.wait();
  assert.equal(receiver.received.length, 2);
  await scene.deliver({ ...first.message, attempt: 1 });
  await scene.run();
  await scene.announce(hint);
  await scene.tell();
  assert.equal(receiver.received.length, 4);
});

test("a receiver that fails is tried again after growing delays under one id, and given up after a stated number", async () => {
  await using receiver = await outsideServer((_, response) => {
    response.statusCode = 500;
    response.end();
  });
  const scene = webhookScene();
  await scene.putWebhook("ops", { ...hookOf(receiver), phases: ["completed"] });
  await scene.submit("p1");
  await scene.run();
  const delays: number[] = [];
  while (scene.deliveryMessages.length > 0) delays.push(await scene.wait());
  // What is due later than a queue can delay is sent on before it is due.
  assert.deepEqual(delays.slice(0, 6), [5, 15, 45, 135, 405, 900]);
  assert.ok(delays.every((delay) => delay <= 900));
  const waited = delays.reduce((sum, delay) => sum + delay, 0);
  assert.equal(waited, 5 + 15 + 45 + 135 + 405 + 1215 + 3645 + 4 * 7200);
  assert.equal(receiver.received.length, maxDeliveryAttempts);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 1);
  const [delivery] = await scene.deliveries("ops");
  assert.equal(delivery?.state, "given_up");
  assert.deepEqual(
    outcomes(delivery),
    Array.from({ length: maxDeliveryAttempts }, () => 500),
  );
  const webhook = await scene.webhook("ops");
  assert.deepEqual([webhook.state, typeof webhook.failingSince], ["active", "string"]);
});

test("a webhook without a delivery that arrives for a day is disabled, says why, and goes on when it is put again", async () => {
  let status = 503;
  await using receiver = await outsideServer((_, response) => {
    response.statusCode = status;
    response.end();
  });
  const scene = webhookScene();
  const hook = { ...hookOf(receiver), phases: ["completed"] };
  await scene.putWebhook("ops", hook);
  for (const planId of ["p1", "p2", "p3", "p4"]) {
    await scene.submit(planId);
    await scene.run();
    while (scene.deliveryMessages.length > 0) await scene.wait();
    if ((await scene.webhook("ops")).state === "disabled") break;
  }
  const disabled = await scene.webhook("ops");
  assert.equal(disabled.state, "disabled");
  assert.match(
    String(disabled.reason),
    /^Every delivery since 2026-11-30T00:00:00.000Z has failed; at last the receiver answered 503\.$/,
  );
  const attempts = receiver.received.length;
  await scene.submit("while-disabled");
  await scene.run();
  assert.equal(receiver.received.length, attempts);

  status = 204;
  scene.advanceClock(60_000);
  const again = await scene.putWebhook("ops", hook);
  assert.deepEqual([again.status, again.state, again.signingSecret], [200, "active", undefined]);
  await scene.submit("again");
  await scene.run();
  assert.deepEqual(phasesTold(receiver.received.slice(attempts)), ["again 3 completed"]);
  assert.equal((await scene.webhook("ops")).failingSince, undefined);
});

test("one delivery that arrives ends the count towards being disabled", async () => {
  let status = 500;
  await using receiver = await outsideServer((_, response) => {
    response.statusCode = status;
    response.end();
  });
  const scene = webhookScene();
  await scene.putWebhook("ops", { ...hookOf(receiver), phases: ["completed"] });
  const runTo = async (planId: string) => {
    await scene.submit(planId);
    await scene.run();
  };
  await runTo("p1");
  assert.equal(typeof (await scene.webhook("ops")).failingSince, "string");
  status = 200;
  await scene.wait();
  assert.equal((await scene.webhook("ops")).failingSince, undefined);
  status = 500;
  scene.advanceClock(48 * 3_600_000);
  await runTo("p2");
  const webhook = await scene.webhook("ops");
  assert.deepEqual([webhook.state, typeof webhook.failingSince], ["active", "string"]);
});

test("410 Gone disables at once, and what waits for the webhook is dropped", async () => {
  let status = 500;
  await using receiver = await outsideServer((_, response) => {
    response.statusCode = status;
    response.end();
  });
  const scene = webhookScene();
  await scene.putWebhook("ops", { ...hookOf(receiver), phases: ["running", "completed"] });
  await scene.submit("p1");
  await scene.run();
  assert.equal(receiver.received.length, 2);
  status = 410;
  await scene.wait();
  assert.equal(receiver.received.length, 3);
  const webhook = await scene.webhook("ops");
  assert.deepEqual(
    [webhook.state, webhook.reason],
    ["disabled", "The receiver answered 410 Gone: it wants no more deliveries."],
  );
  assert.deepEqual((await scene.deliveries("ops")).map(({ state }) => state).sort(), ["dropped", "given_up"]);
});

test("a redirect is not followed: it is an attempt that failed", async () => {
  await using elsewhere = await outsideServer();
  await using receiver = await outsideServer((_, response) => {
    response.writeHead(307, { location: elsewhere.url });
    response.end();
  });
  const scene = webhookScene();
  await scene.putWebhook("ops", { ...hookOf(receiver), phases: ["completed"] });
  await scene.submit("p1");
  await scene.run();
  assert.equal(elsewhere.connections(), 0);
  const [delivery] = await scene.deliveries("ops");
  assert.deepEqual([delivery?.state, outcomes(delivery)], ["pending", [307]]);
});

test("a receiver that does not answer is let go after the time limit", async () => {
  let answers = false;
  await using receiver = await outsideServer((_, response) => {
    if (answers) {
      response.end();
      return;
    }
    // Long after the limit; nobody waits for it.
    const late = setTimeout(() => response.end(), 5_000);
    response.on("close", () => clearTimeout(late));
  });
  const scene = webhookScene({ limitMs: 200 });
  await scene.putWebhook("ops", { ...hookOf(receiver), phases: ["completed"] });
  await scene.submit("p1");
  await scene.run();
  const [delivery] = await scene.deliveries("ops");
  assert.deepEqual(outcomes(delivery), ["timed_out"]);
  answers = true;
  await scene.wait();
  assert.deepEqual(
    (await scene.deliveries("ops")).map(({ state }) => state),
    ["delivered"],
  );
});

test("a receiver that endlessly sends a body is done with at its status", async () => {
  await using receiver = await outsideServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  });
  const scene = webhookScene();
  await scene.putWebhook("ops", { ...hookOf(receiver), phases: ["completed"] });
  await scene.submit("p1");
  await scene.run();
  assert.deepEqual(
    (await scene.deliveries("ops")).map(({ state }) => state),
    ["delivered"],
  );
});

test("a receiver that dies in the middle is told again, under the same id, signed anew", async () => {
  let dies = true;
  await using receiver = await outsideServer((_, response) => {
    if (dies) response.destroy();
    else response.end();
  });
  const scene = webhookScene();
  const made = await scene.putWebhook("ops", { ...hookOf(receiver), phases: ["completed"] });
  await scene.submit("p1");
  await scene.run();
  dies = false;
  await scene.wait();
  const [first, second] = receiver.received;
  assert.ok(first && second);
  assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
  assert.equal(Number(second.headers["webhook-timestamp"]) - Number(first.headers["webhook-timestamp"]), 5);
  verified(second, String(made.signingSecret), { nowEpochMs: scene.ports.clock.now() });
  assert.deepEqual(outcomes((await scene.deliveries("ops"))[0]), ["external_failed", 200]);
});

test("a webhook cannot reach what is not public, by whatever name", async () => {
  const scene = webhookScene();
  const put = async (url: string) => {
    const answer = await scene.send("/v1/webhooks/ops", { method: "PUT", body: { url } });
    return { status: answer.status, ...fields(answer.json()) } as Record<string, unknown>;
  };
  for (const [url, why] of [
    ["http://example.com/", /must be https/],
    ["ftp://example.com/", /must be https/],
    ["https://ada:pw@example.com/", /credentials/],
    ["https://example.com/#x", /fragment/],
    ["https://10.0.0.1/", /not public/],
    ["https://169.254.169.254/latest", /not public/],
    ["https://[::1]/", /not public/],
    ["https://[::ffff:10.0.0.1]/", /not public/],
    ["https://2852039166/", /not public/],
    ["nowhere", /absolute URL/],
    [`https://example.com/${"x".repeat(2048)}`, /absolute URL/],
  ] as const) {
    const refused = await put(url);
    assert.deepEqual([refused.status, refused.field], [422, "/url"], url);
    assert.match(String(refused.detail), why, url);
  }
  assert.equal((await put("https://inside.test/hook")).status, 201);
  await scene.submit("p1");
  await scene.run();
  assert.deepEqual(outcomes((await scene.deliveries("ops"))[0]), ["address_refused"]);
});

test("a secret of the operator's is named, never told, and what is missing is an attempt that failed", async () => {
  await using receiver = await outsideServer();
  const scene = webhookScene();
  const missing = await scene.send("/v1/webhooks/ops", {
    method: "PUT",
    body: { ...hookOf(receiver), secret: "secret:NONE" },
  });
  assert.deepEqual([missing.status, fields(missing.json()).code], [422, "secret_missing"]);
  const made = await scene.putWebhook("ops", {
    ...hookOf(receiver),
    phases: ["completed"],
    secret: "secret:HOOK",
  });
  assert.deepEqual([made.secret, made.signingSecret], ["secret:HOOK", undefined]);
  await scene.submit("p1");
  await scene.run();
  const [request] = receiver.received;
  assert.ok(request);
  const secret = await scene.ports.namedSecrets.get({ tenant: owner.tenant, name: "HOOK" });
  verified(request, secret ?? "", { nowEpochMs: scene.ports.clock.now() });
  const everything = JSON.stringify([
    await scene.webhook("ops"),
    await scene.deliveries("ops"),
    scene.logged,
  ]);
  assert.ok(!everything.includes("bmFtZWQ"));
});

test("a secret of the operator's that gives no key signs nothing: anybody could", async (t) => {
  await using receiver = await outsideServer();
  const scene = webhookScene();
  for (const name of ["EMPTY", "NO_BASE64"]) {
    const body = { ...hookOf(receiver), secret: `secret:${name}` };
    const refused = await scene.send("/v1/webhooks/ops", { method: "PUT", body });
    const { code, field } = fields(refused.json());
    assert.deepEqual([refused.status, code, field], [422, "secret_unavailable", "/secret"]);
  }
  // One that was a key when it was named, and is none any more.
  await scene.putWebhook("ops", { ...hookOf(receiver), secret: "secret:HOOK" });
  t.mock.method(scene.ports.namedSecrets, "get", async () => "");
  await scene.submit("p1");
  await scene.run();
  assert.equal(receiver.received.length, 0);
  assert.match(JSON.stringify(await scene.deliveries("ops")), /"code":"secret_unavailable"/);
});

test("a secret that is replaced is valid for a day beside the new one", async () => {
  await using receiver = await outsideServer();
  const scene = webhookScene();
  let made = 0;
  Object.assign(scene.ports.secrets, {
    secret: () => {
      made += 1;
      return String(made).repeat(43);
    },
  });
  const hook = { ...hookOf(receiver), phases: ["completed"] };
  const first = String((await scene.putWebhook("ops", hook)).signingSecret);
  const second = String((await scene.putWebhook("ops", { ...hook, secret: "generate" })).signingSecret);
  assert.notEqual(first, second);
  const isValid = (request: ReceivedRequest | undefined, secret: string): boolean => {
    assert.ok(request);
    try {
      verified(request, secret, { nowEpochMs: scene.ports.clock.now() });
      return true;
    } catch {
      return false;
    }
  };
  await scene.submit("p1");
  await scene.run();
  assert.deepEqual(
    [first, second].map((secret) => isValid(receiver.received[0], secret)),
    [true, true],
  );
  scene.advanceClock(25 * 3_600_000);
  await scene.submit("p2");
  await scene.run();
  assert.deepEqual(
    [first, second].map((secret) => isValid(receiver.received[1], secret)),
    [false, true],
  );
});

test("webhooks are listed, deleted and limited in number; a deleted one gets nothing that was on its way", async () => {
  await using receiver = await outsideServer();
  const scene = webhookScene();
  for (let index = 0; index < 20; index += 1) {
    await scene.putWebhook(`hook-${String(index).padStart(2, "0")}`, hookOf(receiver));
  }
  const refused = await scene.send("/v1/webhooks/more", { method: "PUT", body: hookOf(receiver) });
  assert.deepEqual([refused.status, fields(refused.json()).code], [422, "limit_exceeded"]);
  const { webhooks } = fields((await scene.send("/v1/webhooks")).json());
  assert.ok(Array.isArray(webhooks) && webhooks.length === 20);
  assert.doesNotMatch(JSON.stringify(webhooks), /whsec_/);
  await scene.submit("p1");
  await scene.drain();
  for (const hint of scene.phaseHints.splice(0)) await scene.announce(hint);
  for (let index = 1; index < 20; index += 1) {
    const path = `/v1/webhooks/hook-${String(index).padStart(2, "0")}`;
    assert.equal((await scene.send(path, { method: "DELETE" })).status, 204);
    assert.equal((await scene.send(path, { method: "DELETE" })).status, 404);
  }
  await scene.tell();
  assert.equal(receiver.received.length, 3);
  const bad = await scene.send("/v1/webhooks/@bus", { method: "PUT", body: hookOf(receiver) });
  assert.deepEqual([bad.status, fields(bad.json()).field], [422, "name"]);
});

test("a bus is told every phase of every tenant, once each, and again where it refused", async () => {
  const events: string[] = [];
  let refuses = true;
  const scene = webhookScene({
    async putEvent({ detail }) {
      if (refuses)
        return { kind: "failed", code: "external_failed", message: "The event bus refused the event." };
      events.push(detail);
      return { kind: "answered", status: 200 };
    },
  });
  // With a bus somebody listens to every tenant.
  scene.ports.webhooks.listens = async () => true;
  await scene.submit("p1");
  await scene.run();
  assert.deepEqual(events, []);
  refuses = false;
  await scene.wait();
  await scene.tell();
  assert.deepEqual(
    events
      .map((detail) => fields(JSON.parse(detail)))
      .map(({ tenant, sequence, phase }) => [tenant, sequence, phase]),
    [
      ["acme", 1, "submitted"],
      ["acme", 2, "running"],
      ["acme", 3, "completed"],
    ],
  );
});
