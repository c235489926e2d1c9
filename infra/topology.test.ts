import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { processPorts } from "#functions/process-ports.ts";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import { silentLog } from "#lib/log/log.ts";
import { handlers } from "./local/handlers.ts";
import { signingKeyFile } from "./local/signing-key.ts";
import { submissionQueuesDocument } from "./submission-queues.ts";
import { topology } from "./topology.ts";

const directory = mkdtempSync(join(tmpdir(), "topology-"));
const ports = { ...processPorts, log: silentLog };
const values: Record<string, string> = {
  TABLE_NAME: "table",
  BUCKET_NAME: "bucket",
  DECISIONS_QUEUE_URL: "http://127.0.0.1:1/000000000000/decisions",
  TOOL_ALLOWED_HOSTS: "none",
  TOOL_SECRETS: "none",
  QUOTAS: "none",
  JWT_ISSUER: "none",
  JWT_AUDIENCE: "none",
  JWT_TENANT_CLAIM: "tenant",
  JWT_PRINCIPAL_CLAIM: "sub",
  APPLIES_QUEUE_URL: "http://127.0.0.1:1/000000000000/applies",
  PHASES_QUEUE_URL: "http://127.0.0.1:1/000000000000/phases",
  SOURCES_QUEUE_URL: "http://127.0.0.1:1/000000000000/sources",
  DELIVERIES_QUEUE_URL: "http://127.0.0.1:1/000000000000/deliveries",
  PHASE_LISTENERS: "webhooks",
  EVENT_BUS: "none",
  SUBMISSION_QUEUES: JSON.stringify(
    submissionQueuesDocument(topology, (name) => ({ physicalName: name, url: `http://127.0.0.1:1/${name}` })),
  ),
};
before(async () => {
  values.SIGNING_KEY = `file:${await signingKeyFile(directory)}`;
});
after(() => rmSync(directory, { recursive: true, force: true }));

for (const [name, { entry, environment }] of Object.entries(topology.functions)) {
  test(`${name} is wired from exactly the variables that the topology lists for it`, () => {
    const create = handlers[name];
    assert.ok(create);
    const listed = Object.fromEntries(environment.map((variable) => [variable, values[variable]]));
    assert.equal(typeof create(listed, ports), "function");
    for (const variable of environment) {
      const { [variable]: _, ...rest } = listed;
      assert.throws(
        () => create(rest, ports),
        (error) => error instanceof ValidationError && error.field === variable,
        variable,
      );
    }
  });

  test(`importing ${entry} does nothing, whatever the environment`, async () => {
    const module: unknown = await import(new URL(`../${entry}`, import.meta.url).href);
    assert.ok(typeof module === "object" && module !== null);
    assert.ok("handler" in module && typeof module.handler === "function");
    assert.ok("createHandler" in module && module.createHandler === handlers[name]);
  });
}

test("every function that answers callers, or submits for them, holds them to their quotas", () => {
  const answering = topology.routes.flatMap((route) => (route.authorized ? [route.function] : []));
  for (const name of new Set([...answering, "executeSubmissions", "scheduleTick"])) {
    assert.ok(topology.functions[name]?.environment.includes("QUOTAS"), name);
  }
});

test("a variable that is wrong is named, and its value is not repeated", () => {
  const environment = { ...values, SIGNING_KEY: "the secret itself" };
  assert.throws(
    () => handlers.executeHttp?.(environment, ports),
    (error) =>
      error instanceof ValidationError &&
      error.field === "SIGNING_KEY" &&
      !error.message.includes("the secret itself"),
  );
});
