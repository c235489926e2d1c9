import { lookup } from "node:dns/promises";
import { allowedHosts } from "#lib/outbound/allowed-hosts.ts";
import type { AddressResolver } from "#lib/outbound/outbound-ports.ts";
import { fileSecretStore } from "#lib/secrets/file-secret-store.ts";
import { memorySecretStore } from "#lib/secrets/memory-secret-store.ts";
import type { ExternalToolPorts } from "#lib/tools/external/external-tool-ports.ts";
import { type OutsideEnvironment, settingEntries } from "./environment.ts";

const resolve: AddressResolver = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** What tools that run elsewhere may reach, and where their secrets are. */
export const wireOutside = (environment: OutsideEnvironment): Omit<ExternalToolPorts, "tenant"> => ({
  outbound: { resolve, allowedHosts: allowedHosts(settingEntries(environment.TOOL_ALLOWED_HOSTS)) },
  secrets:
    environment.TOOL_SECRETS === "none"
      ? memorySecretStore({})
      : fileSecretStore(environment.TOOL_SECRETS.slice("file:".length)),
});
