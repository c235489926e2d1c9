import { isIP, type Socket } from "node:net";
import { buildConnector } from "undici";
import { addressRefusal } from "./address-rule.ts";
import { OutboundError } from "./outbound-error.ts";
import type { OutboundPorts } from "./outbound-ports.ts";

type Connect = buildConnector.connector;
type Target = buildConnector.Options;

/**
 * A connector for an undici agent that resolves a host itself, once, holds every address to `addressRefusal`, and connects to
 * those very addresses, one after another: an answer of the name server that changes in between changes nothing, and no
 * spelling of a host gets around it. A name of which one address is refused is refused as a whole. The name stays the
 * server's name of TLS. Hosts that the operator allows are not held to the rule.
 */
export const guardedConnect =
  (ports: OutboundPorts, connect: Connect = buildConnector({ timeout: connectTimeoutMs })): Connect =>
  (target, callback) => {
    connected(ports, connect, target).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };

const connectTimeoutMs = 10_000;

const connected = async (ports: OutboundPorts, connect: Connect, target: Target): Promise<Socket> => {
  let failure: unknown;
  for (const address of await checkedAddresses(ports, target)) {
    try {
      return await connectTo(connect, { ...target, hostname: address });
    } catch (error) {
      failure ??= error;
    }
  }
  throw new OutboundError({
    code: "external_failed",
    message: `No connection to ${target.hostname} came about (${reasonOf(failure)}); nothing was sent.`,
    details: { host: target.hostname },
    cause: failure,
  });
};

const checkedAddresses = async (ports: OutboundPorts, target: Target): Promise<readonly string[]> => {
  const { hostname, protocol } = target;
  const port = Number(target.port || (protocol === "https:" ? 443 : 80));
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(literal) > 0 ? [literal] : await resolved(ports, hostname);
  if (ports.allowedHosts.allows({ host: isIP(literal) === 6 ? `[${literal}]` : hostname, port })) {
    return addresses;
  }
  for (const address of addresses) {
    const refusal = addressRefusal(address);
    if (refusal === undefined) continue;
    const which = address === literal ? "The address" : `${hostname} leads to the address`;
    throw new OutboundError({
      code: "address_refused",
      message: `${which} ${address}, which ${refusal}; nothing was sent. Tools reach public addresses only; the operator of the service can allow ${hostname}:${port} by name.`,
      details: { host: hostname, port, address },
    });
  }
  return addresses;
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

const connectTo = (connect: Connect, target: Target): Promise<Socket> =>
  new Promise((resolve, reject) => {
    connect(target, (...[error, socket]) => {
      if (error === null) resolve(socket);
      else reject(error);
    });
  });

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown reason";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
};
