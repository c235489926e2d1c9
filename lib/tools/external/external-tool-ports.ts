import type { OutboundPorts } from "../../outbound/outbound-ports.ts";
import type { SecretStore } from "../../secrets/secret-store.ts";

/** What tools that run elsewhere need of the service, for one tenant. */
export interface ExternalToolPorts {
  readonly tenant: string;
  readonly outbound: OutboundPorts;
  readonly secrets: SecretStore;
}
