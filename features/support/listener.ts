import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import * as z from "zod/mini";

const message = z.object({
  type: z.literal("plan.phase_changed"),
  data: z.object({
    planId: z.string(),
    run: z.number(),
    phase: z.string(),
    sequence: z.number(),
    digest: z.optional(z.string()),
    counts: z.record(z.string(), z.number()),
  }),
});

/** A message as it came, and what it says. */
export interface Heard extends z.output<typeof message> {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** A receiver of webhooks on this machine. */
export interface Listener {
  readonly url: string;
  /** What it answers from now on. */
  status: number;
  /** What it was told of a plan, once each, in the order of the numbers. */
  heard(planId: string): readonly Heard[];
  close(): Promise<void>;
}

export async function listen(): Promise<Listener> {
  const all: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    all.push({ ...message.parse(JSON.parse(body)), body, headers: request.headers });
    response.statusCode = listener.status;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const listener: Listener = {
    url: `http://127.0.0.1:${address.port}/hook`,
    status: 204,
    heard(planId) {
      const mine = all.filter(({ data }) => data.planId === planId);
      const once = new Map(mine.map((heard) => [heard.headers["webhook-id"], heard]));
      return [...once.values()].sort((one, other) => one.data.sequence - other.data.sequence);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return listener;
}

/** Whether a message verifies under a secret, as docs/reference/events.md says. */
export function verifies({ headers, body }: Heard, secret: string): boolean {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const own = createHmac("sha256", key).update(signed).digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .some((one) => {
      const given = Buffer.from(one.replace(/^v1,/, ""), "base64");
      return given.length === own.length && timingSafeEqual(given, own);
    });
}
