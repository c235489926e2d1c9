import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

const globalUnicast = ipaddr.IPv6.parse("2000::");

/**
 * Why nothing may connect to an IP address, or `undefined` for one that is on the public internet. Only what is known to be
 * public passes: IPv4 addresses of no special range, and IPv6 addresses of 2000::/3 outside of its special ranges. So
 * private, loopback, link-local (cloud metadata with it), unique local, carrier-grade NAT, multicast and reserved ones are
 * out, and every form that carries an IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo), whatever is inside.
 */
export const addressRefusal = (address: string): string | undefined => {
  // Not ipaddr's own check: it takes numbers and octal too, which a socket would look up as names.
  if (isIP(address) === 0 || address.includes("%")) return "is no IP address";
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range !== "unicast") return `is in a range that is not public (${rangeNames.get(range) ?? range})`;
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast, 3)) {
    return "is in a range that is not public (outside of 2000::/3)";
  }
  return undefined;
};

const rangeNames: ReadonlyMap<string, string> = new Map([
  ["carrierGradeNat", "carrier-grade NAT"],
  ["ipv4Mapped", "IPv4-mapped"],
  ["linkLocal", "link-local"],
  ["rfc6052", "NAT64"],
  ["rfc6145", "IPv4-translated"],
  ["teredo", "Teredo"],
  ["uniqueLocal", "unique local"],
]);
