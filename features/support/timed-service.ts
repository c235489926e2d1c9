import { createServer } from "node:http";
import { AfterAll } from "@cucumber/cucumber";
import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";

/** A web server on this machine that offers one catalogue under each path, with an ETag; it tells what it was asked for. */
interface Web {
  readonly url: string;
  offer(path: string, items: readonly unknown[]): void;
  /** It answers nothing but 503 there from now on, or no more. */
  breakDown(path: string, broken: boolean): void;
  /** How it answered the requests for a path. */
  answers(path: string): readonly number[];
  close(): Promise<void>;
}

/** An embedded service whose time the scenarios move, for what happens again and again. */
export interface TimedService {
  readonly client: PlanledgerClient;
  readonly web: Web;
  now(): number;
  advance(byMs: number): void;
  /** The service looks at what is due, as it does every minute. */
  tick(): Promise<void>;
}

let running: Promise<TimedService & { stop(): Promise<void> }> | undefined;

/** One for all scenarios that need it, started for the first of them. */
export function timedService(): Promise<TimedService> {
  running ??= start();
  return running;
}

AfterAll({ timeout: 60_000 }, async function stopTimedService() {
  await (await running)?.stop();
});

async function start(): Promise<TimedService & { stop(): Promise<void> }> {
  const { startEmbeddedService } = await import("#infra/local/start-embedded-service.ts");
  const web = await startWeb();
  let aheadMs = Date.UTC(2026, 10, 30, 10, 0, 30) - performance.now();
  const now = () => Math.floor(performance.now() + aheadMs);
  const service = await startEmbeddedService({ port: 0, clock: { now }, allowedHosts: ["127.0.0.1"] });
  return {
    client: planledgerClient(service),
    web,
    now,
    advance(byMs) {
      aheadMs += byMs;
    },
    tick: () => service.runSchedule("tick"),
    async stop() {
      await service.stop();
      await web.close();
    },
  };
}

async function startWeb(): Promise<Web> {
  const pages = new Map<string, { readonly body: string; readonly etag: string }>();
  const broken = new Set<string>();
  const answered: (readonly [path: string, status: number])[] = [];
  let versions = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const page = pages.get(path);
    const status =
      page === undefined || broken.has(path)
        ? 503
        : request.headers["if-none-match"] === page.etag
          ? 304
          : 200;
    answered.push([path, status]);
    response.writeHead(status, page === undefined ? {} : { etag: page.etag });
    response.end(status === 200 ? page?.body : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    offer(path, items) {
      versions += 1;
      pages.set(path, { body: JSON.stringify({ planledgerCatalogue: 1, items }), etag: `"${versions}"` });
    },
    breakDown: (path, isBroken) => void (isBroken ? broken.add(path) : broken.delete(path)),
    answers: (path) => answered.flatMap(([asked, status]) => (asked === path ? [status] : [])),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
