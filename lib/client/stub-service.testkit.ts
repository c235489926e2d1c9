import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ClientPorts } from "./client-options.ts";
import { type PlanledgerClient, planledgerClient } from "./planledger-client.ts";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type StubReply =
  | {
      readonly status: number;
      readonly json?: unknown;
      readonly bytes?: Uint8Array;
      readonly headers?: Record<string, string>;
    }
  /** Closes the connection without a reply, after the request was read. */
  | "drop";

export interface StubService {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Delays that a client of this service asked for; they pass at once. */
  readonly delays: number[];
  client(overrides?: {
    readonly random?: () => number;
    readonly waiting?: ClientPorts["waiting"];
  }): PlanledgerClient;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A service on a real socket that answers by a function; every client of it waits no real time. */
export async function stubService(answer: (request: SeenRequest) => StubReply): Promise<StubService> {
  const seen: SeenRequest[] = [];
  const delays: number[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // The client went away.
    }
    const one: SeenRequest = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    seen.push(one);
    const reply = answer(one);
    if (reply === "drop") {
      request.socket.destroy();
      return;
    }
    const type = reply.json === undefined ? "application/octet-stream" : "application/json";
    response.writeHead(reply.status, { "content-type": type, ...reply.headers });
    response.end(reply.json === undefined ? (reply.bytes ?? "") : JSON.stringify(reply.json));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = addressOf(server);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    seen,
    delays,
    client: (overrides = {}) =>
      planledgerClient({
        url,
        token: "plt_test_secret",
        random: () => 0,
        ids: { ulid: () => "01JZZZZZZZZZZZZZZZZZZZZZZZ" },
        delay: async (milliseconds, signal) => {
          signal?.throwIfAborted();
          delays.push(milliseconds);
        },
        ...overrides,
      }),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the stub service has no port");
  return address;
}
