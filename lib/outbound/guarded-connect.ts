import { isIP, type Socket } from "node:net";
import { addressRefusal } from "./address-rule.ts";
import { hostAndPortOf } from "./allowed-hosts.ts";
import { type Connect, connectToAddress } from "./connect-to-address.ts";
import { OutboundError } from "./outbound-error.ts";
import type { OutboundPorts } from "./outbound-ports.ts";

/**
 * Connects to the server of a URL. Its host is resolved here, once, every address held to `addressRefusal`, and those very
 * addresses are connected to, one after another: an answer of the name server that changes in between changes nothing, and
 * no spelling of a host gets around it. A name of which one address is refused is refused as a whole. The name stays the
 * one that a TLS server must prove. Hosts that the operator allows are not held to the rule. Throws an `OutboundError`;
 * nothing was sent then.
 */
export const guardedConnect = async (
  ports: OutboundPorts,
  target: { readonly url: URL; readonly signal: AbortSignal },
  connect: Connect = connectToAddress,
): Promise<Socket> => {
  const { url, signal } = target;
  const { host, port } = hostAndPortOf(url);
  const tlsName = url.protocol === "https:" ? (literalOf(host) === undefined ? host : "") : undefined;
  let failure: unknown;
  for (const address of await checkedAddresses(ports, { host, port })) {
    try {
      return await connect({ address, port, tlsName }, signal);
    } catch (error) {
      failure ??= error;
    }
  }
  throw new OutboundError({
    code: "external_failed",
    message: `No connection to ${host}:${port} came about (${reasonOf(failure)}); nothing was sent.`,
    details: { host, port },
    cause: failure,
  });
};

const checkedAddresses = async (
  ports: OutboundPorts,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<readonly string[]> => {
  const literal = literalOf(host);
  const addresses = literal === undefined ? await resolved(ports, host) : [literal];
  if (ports.allowedHosts.allows({ host, port })) return addresses;
  for (const address of addresses) {
    const refusal = addressRefusal(address);
    if (refusal === undefined) continue;
    const which = address === literal ? "The address" : `${host} leads to the address`;
    throw new OutboundError({
      code: "address_refused",
      message: `${which} ${address}, which ${refusal}; nothing was sent. Only public addresses are reached; the operator of the service can allow ${host}:${port} by name.`,
      details: { host, port, address },
    });
  }
  return addresses;
};

/** The address that a host is, where it is one and no name. */
const literalOf = (host: string): string | undefined => {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) > 0 ? bare : undefined;
};

const resolved = async ({ resolve }: OutboundPorts, host: string): Promise<readonly string[]> => {
  try {
    const addresses = await resolve(host);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    throw unresolved(host, cause);
  }
  throw unresolved(host, undefined);
};

const unresolved = (host: string, cause: unknown): OutboundError =>
  new OutboundError({
    code: "external_failed",
    message: `The host ${host} has no address${cause === undefined ? "" : ` (${reasonOf(cause)})`}; nothing was sent.`,
    details: { host },
    cause,
  });

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown reason";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
};
