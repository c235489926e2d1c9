import type { AllowedHosts } from "./allowed-hosts.ts";

/** The IP addresses of a host name, in the order in which they are to be tried. Throws when there are none. */
export type AddressResolver = (host: string) => Promise<readonly string[]>;

/** What everything that connects to the outside on a tenant's behalf goes by. */
export interface OutboundPorts {
  readonly resolve: AddressResolver;
  readonly allowedHosts: AllowedHosts;
}
