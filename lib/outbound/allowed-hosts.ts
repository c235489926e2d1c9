import { ValidationError } from "../errors/planledger-error.ts";

/** A host as a URL holds it (lower case, IPv6 in brackets, IPv4 with four decimal numbers) and its port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Hosts that the operator lets tools reach whatever their addresses are. */
export interface AllowedHosts {
  allows(target: HostAndPort): boolean;
}

/**
 * Reads an operator's list of `HOST` (any port) and `HOST:PORT`. Hosts are compared exactly, as a URL would write them; there
 * are no patterns. Throws a `ValidationError` that shows the entry at fault.
 */
export const allowedHosts = (entries: readonly string[]): AllowedHosts => {
  const allowed = new Set(entries.map(normalEntry));
  return { allows: ({ host, port }) => allowed.has(host) || allowed.has(`${host}:${port}`) };
};

const normalEntry = (entry: string): string => {
  const [, host = "", port] =
    /^(\[[0-9a-f:.]+\]|[\p{L}\p{M}\p{Nd}._-]+)(?::(\d{1,5}))?$/iu.exec(entry.trim()) ?? [];
  const url = host === "" || Number(port ?? 1) > 65_535 ? null : URL.parse(`http://${host}/`);
  if (url === null || port === "0") {
    throw new ValidationError({
      field: "allowedHosts",
      message: `${JSON.stringify(entry)} is no allowed host; give HOST or HOST:PORT, as in api.internal:8443, 10.0.0.7 or [::1]:3000.`,
    });
  }
  return port === undefined ? url.hostname : `${url.hostname}:${Number(port)}`;
};

/** Where a URL leads, its default port filled in. */
export const hostAndPortOf = ({ hostname, port, protocol }: URL): HostAndPort => ({
  host: hostname,
  port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
});
