import assert from "node:assert/strict";
import { AfterAll, Before } from "@cucumber/cucumber";
import type { ServiceAddress } from "./service-address.ts";

interface RunningService extends ServiceAddress {
  stop(): Promise<void>;
}

let running: Promise<RunningService> | undefined;
let address: ServiceAddress | undefined;

/**
 * The service that scenarios over HTTP speak to: the one at PLANLEDGER_URL (with PLANLEDGER_TOKEN) where it is set, else an
 * embedded one, started for the first of them, that lives as long as this run of the features.
 */
export function serviceAddress(): ServiceAddress {
  assert.ok(address, "only scenarios marked @http may speak to the service");
  return address;
}

async function startService(): Promise<RunningService> {
  const { PLANLEDGER_URL: url, PLANLEDGER_TOKEN: token } = process.env;
  if (url !== undefined) {
    assert.ok(token, "PLANLEDGER_URL is set, PLANLEDGER_TOKEN is not");
    return { url, token, stop: async () => undefined };
  }
  const { startEmbeddedService } = await import("#infra/local/start-embedded-service.ts");
  // Listeners of scenarios are on this machine.
  return startEmbeddedService({ port: 0, allowedHosts: ["127.0.0.1"] });
}

Before({ tags: "@http", timeout: 60_000 }, async function useService() {
  running ??= startService();
  address = await running;
});

AfterAll({ timeout: 60_000 }, async function stopService() {
  await (await running)?.stop();
});
