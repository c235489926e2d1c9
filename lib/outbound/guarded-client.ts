import { type IncomingHttpHeaders, request as sendRequest } from "node:http";
import type { Socket } from "node:net";
import { guardedConnect } from "./guarded-connect.ts";
import type { OutboundPorts } from "./outbound-ports.ts";

export interface OutboundRequest {
  readonly url: URL;
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it comes, nothing decoded; to be read, or broken off. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * An HTTP client whose every connection is guarded (`guardedConnect`). Each request has a connection of its own; nothing is
 * sent twice, no redirect followed, nothing kept.
 */
export interface GuardedClient {
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Ends whatever is still open. */
  close(): void;
}

export const guardedClient = (ports: OutboundPorts): GuardedClient => {
  const sockets = new Set<Socket>();
  return {
    async request({ url, method, headers, body, signal }) {
      const socket = await guardedConnect(ports, { url, signal });
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return new Promise((resolve, reject) => {
        // Plain HTTP on a socket that is connected already, by TLS where that was asked for.
        const request = sendRequest({
          createConnection: () => socket,
          path: url.pathname + url.search,
          method,
          headers: { ...headers, host: url.host, connection: "close" },
          signal,
        });
        request.on("error", reject);
        // Node leaves such a request without a response or an error, aborted or not.
        request.once("upgrade", (_, upgraded) => {
          upgraded.destroy();
          reject(protocolChanged());
        });
        request.once("response", (response) => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response });
        });
        request.end(body);
      });
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
};

const protocolChanged = (): Error =>
  Object.assign(new Error("it answered 101 and went on in another protocol, which nobody had asked for"), {
    code: "EPROTO",
  });
