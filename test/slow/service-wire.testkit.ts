import { createHash } from "node:crypto";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import * as z from "zod/mini";

/** One request of a client to the service, as it went over the wire. */
export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestBytes: number;
  readonly replyBytes: number;
  /** Of a pack: SHA-256 and size of each content in it, and how many directories. */
  readonly contents: readonly { readonly sha256: string; readonly sizeBytes: number }[];
  readonly directories: number;
}

/** A service behind a URL that counts what passes. */
export interface ServiceWire {
  readonly url: string;
  /** In the order of their answers; grows, also where the client did not live to hear them. */
  readonly calls: ServiceCall[];
  /** Looks at each answer before it goes to the client. */
  onAnswer: (call: ServiceCall) => void;
  /** Resolves when the service is at work on no request. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const pack = z.object({ contents: z.array(z.string()), directories: z.array(z.unknown()) });

export async function startServiceWire(service: string): Promise<ServiceWire> {
  const agent = new Agent({ keepAlive: true });
  const open = new Set<Promise<void>>();
  const calls: ServiceCall[] = [];
  const server = createServer((incoming, outgoing) => {
    const passed = (async () => {
      const sent = await bytesOf(incoming);
      const answer = await passOn(new URL(incoming.url ?? "/", service), { incoming, sent, agent });
      const received = await bytesOf(answer);
      const call: ServiceCall = {
        method: incoming.method ?? "",
        path: (incoming.url ?? "").split("?")[0] ?? "",
        status: answer.statusCode ?? 0,
        requestBytes: sent.length,
        replyBytes: received.length,
        ...packed(incoming.url, sent),
      };
      calls.push(call);
      wire.onAnswer(call);
      outgoing.writeHead(call.status, answer.rawHeaders);
      outgoing.end(received);
    })().catch((fault: unknown) => {
      outgoing.destroy(fault instanceof Error ? fault : new Error(String(fault)));
    });
    open.add(passed);
    void passed.finally(() => open.delete(passed));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the counting endpoint has no port");
  const wire: ServiceWire = {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    onAnswer: () => undefined,
    async idle() {
      while (open.size > 0) await Promise.all(open);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
  return wire;
}

function packed(path: string | undefined, body: Buffer): Pick<ServiceCall, "contents" | "directories"> {
  if (path !== "/v1/content/packs") return { contents: [], directories: 0 };
  const { contents, directories } = pack.parse(JSON.parse(body.toString()));
  const bytes = contents.map((text) => Buffer.from(text, "base64"));
  return {
    contents: bytes.map((one) => ({
      sha256: createHash("sha256").update(one).digest("hex"),
      sizeBytes: one.length,
    })),
    directories: directories.length,
  };
}

function passOn(
  url: URL,
  what: { readonly incoming: IncomingMessage; readonly sent: Buffer; readonly agent: Agent },
): Promise<IncomingMessage> {
  const { method } = what.incoming;
  const { "transfer-encoding": _, ...headers } = what.incoming.headers;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, agent: what.agent, headers: { ...headers, "content-length": what.sent.length } },
      resolve,
    );
    outgoing.once("error", reject);
    outgoing.end(what.sent);
  });
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
