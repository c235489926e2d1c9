import { type AllowedHosts, hostAndPortOf } from "./allowed-hosts.ts";
import { OutboundError } from "./outbound-error.ts";

/** Throws an `OutboundError` (`address_refused`) for what is no https address, unless the operator allows the host. */
export const requireSecure = (url: URL, allowed: AllowedHosts): void => {
  if (url.protocol === "https:" || (url.protocol === "http:" && allowed.allows(hostAndPortOf(url)))) return;
  throw new OutboundError({
    code: "address_refused",
    message: `${url.origin} is no https address; nothing was sent. Plain http goes to hosts alone that the operator of the service allows.`,
    details: { host: url.host },
  });
};
