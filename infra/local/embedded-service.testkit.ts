import { after, before } from "node:test";
import * as z from "zod/mini";
import {
  type EmbeddedService,
  type EmbeddedServiceOptions,
  startEmbeddedService,
} from "./start-embedded-service.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON. */
  json(): unknown;
}

export interface SentRequest {
  readonly method?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** `null`: send no Authorization header. */
  readonly token?: string | null;
}

/** One embedded service for the tests of a file. */
export interface ServiceUnderTest {
  readonly url: string;
  readonly token: string;
  send(path: string, request?: SentRequest): Promise<Answer>;
  /** Sends JSON; with POST unless told otherwise. */
  sendJson(path: string, value: unknown, request?: SentRequest): Promise<Answer>;
  /** Reads the status until the plan has ended. */
  ended(planId: string): Promise<z.output<typeof endedStatus>>;
}

const endedStatus = z.object({
  planId: z.string(),
  phase: z.string(),
  run: z.number(),
  digest: z.optional(z.string()),
  counts: z.object({
    total: z.number(),
    pending: z.number(),
    landed: z.number(),
    failed: z.number(),
    skipped: z.number(),
  }),
  failures: z.array(z.object({ decisionId: z.string(), code: z.string() })),
  noChanges: z.boolean(),
});

const endedWithinMs = 120_000;
const endPhases = ["completed", "failed", "cancelled"];

/** `prepare` runs once the service does, before the first test. */
export function serviceUnderTest(
  options: Partial<EmbeddedServiceOptions> = {},
  prepare?: (service: ServiceUnderTest) => Promise<void>,
): ServiceUnderTest {
  let running: EmbeddedService | undefined;
  const client = clientOf(() => {
    if (running === undefined) throw new Error("The service runs only while the tests do.");
    return running;
  });
  before(async () => {
    running = await startEmbeddedService({ port: 0, ...options });
    await prepare?.(client);
  });
  after(async () => {
    await running?.stop();
  });
  return client;
}

/** The same, of a service that the caller starts and stops. */
export function clientOf(service: () => { readonly url: string; readonly token: string }): ServiceUnderTest {
  const send = async (path: string, request: SentRequest = {}): Promise<Answer> => {
    const { url, token: first } = service();
    const token = request.token === undefined ? first : request.token;
    const response = await fetch(url + path, {
      method: request.method ?? "GET",
      redirect: "manual",
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: () => JSON.parse(text),
    };
  };
  return {
    get url() {
      return service().url;
    },
    get token() {
      return service().token;
    },
    send,
    sendJson: (path, value, request = {}) =>
      send(path, {
        method: "POST",
        body: JSON.stringify(value),
        ...request,
        headers: { "content-type": "application/json", ...request.headers },
      }),
    async ended(planId) {
      for (const untilMs = performance.now() + endedWithinMs; ; ) {
        const answer = await send(`/v1/plans/${planId}`);
        if (answer.status !== 200) throw new Error(`status of ${planId}: ${answer.status} ${answer.text}`);
        const status = z.parse(endedStatus, answer.json());
        if (endPhases.includes(status.phase)) return status;
        if (performance.now() > untilMs) throw new Error(`plan ${planId} has not ended: ${answer.text}`);
      }
    },
  };
}

/** A plan that writes one file. */
export const planWriting = (path: string, content: string) => ({
  decisions: [{ id: "d1", toolCalls: [{ tool: "write_file", input: { path, content } }] }],
});
