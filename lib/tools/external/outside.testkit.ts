import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { allowedHosts } from "../../outbound/allowed-hosts.ts";
import { memorySecretStore } from "../../secrets/memory-secret-store.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server on this machine that tools call in tests; it keeps what it received. */
export interface Outside extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: readonly ReceivedRequest[];
  /** How many connections were made to it, whether or not anything was sent over them. */
  connections(): number;
}

export const outsideServer = async (
  answer: (request: ReceivedRequest, response: ServerResponse) => void = (_, response) => response.end("ok"),
): Promise<Outside> => {
  const received: ReceivedRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const whole = { method, url, headers, body: Buffer.concat(chunks).toString() };
      received.push(whole);
      answer(whole, response);
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Ports of a tenant `acme`: names lead where `names` says, `allow` is the operator's list. */
export const externalPorts = (
  options: {
    readonly allow?: readonly string[];
    readonly names?: Readonly<Record<string, readonly string[]>>;
    readonly secrets?: Readonly<Record<string, string>>;
  } = {},
): ExternalToolPorts => ({
  tenant: "acme",
  outbound: {
    allowedHosts: allowedHosts(options.allow ?? []),
    resolve: async (host) => options.names?.[host] ?? [],
  },
  secrets: memorySecretStore({ acme: options.secrets ?? {} }),
});
