import { lookup } from "node:dns/promises";
import { allowedHosts } from "#lib/outbound/allowed-hosts.ts";
import type { AddressResolver } from "#lib/outbound/outbound-ports.ts";
import type { Clock } from "#lib/run/clock.ts";
import { fileSecretStore } from "#lib/secrets/file-secret-store.ts";
import { memorySecretStore } from "#lib/secrets/memory-secret-store.ts";
import type { SecretStore } from "#lib/secrets/secret-store.ts";
import type { ExternalToolPorts } from "#lib/tools/external/external-tool-ports.ts";
import { type AwsEnvironment, type OutsideEnvironment, settingEntries, settingParts } from "./environment.ts";
import { loadedOnce } from "./loaded-once.ts";

const resolve: AddressResolver = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

const secretsOf = (environment: AwsEnvironment & OutsideEnvironment, clock: Clock): SecretStore => {
  const [kind, place] = settingParts(environment.TOOL_SECRETS);
  switch (kind) {
    case "file":
      return fileSecretStore(place);
    case "secrets-manager": {
      const secrets = loadedOnce(async () => {
        const { secretsManagerSecrets } = await import("./secrets-manager-secrets.ts");
        return secretsManagerSecrets(environment, { prefix: place, clock });
      });
      return { get: async (key) => (await secrets()).get(key) };
    }
    default:
      return memorySecretStore({});
  }
};

/** What tools that run elsewhere may reach, and where their secrets are. */
export const wireOutside = (
  environment: AwsEnvironment & OutsideEnvironment,
  clock: Clock,
): Omit<ExternalToolPorts, "tenant"> => ({
  outbound: { resolve, allowedHosts: allowedHosts(settingEntries(environment.TOOL_ALLOWED_HOSTS)) },
  secrets: secretsOf(environment, clock),
});
