import assert from "node:assert/strict";
import { AfterAll, BeforeAll } from "@cucumber/cucumber";
import type { ServiceAddress } from "./service-address.ts";

let address: ServiceAddress | undefined;
let stop: () => Promise<void> = async () => undefined;

/**
 * The service that scenarios over HTTP speak to: the one at PLANLEDGER_URL (with PLANLEDGER_TOKEN) where it is set, else an
 * embedded one that lives as long as this run of the features.
 */
export function serviceAddress(): ServiceAddress {
  assert.ok(address, "the service was not started");
  return address;
}

BeforeAll({ timeout: 60_000 }, async function startService() {
  const { PLANLEDGER_URL: url, PLANLEDGER_TOKEN: token } = process.env;
  if (url !== undefined) {
    assert.ok(token, "PLANLEDGER_URL is set, PLANLEDGER_TOKEN is not");
    address = { url, token };
    return;
  }
  const { startEmbeddedService } = await import("#infra/local/embedded-service.ts");
  const service = await startEmbeddedService({ port: 0 });
  address = { url: service.url, token: service.token };
  stop = service.stop;
});

AfterAll({ timeout: 60_000 }, async function stopService() {
  await stop();
});
