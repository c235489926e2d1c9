import type * as z from "zod/mini";
import type { AcceptedReply, EventReply } from "../api/plan-replies.ts";
import { keysReply, type SigningKey, versionReply } from "../api/service-replies.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { type ClientAddress, type ClientPorts, checkedAddress } from "./client-options.ts";
import { type ContentClient, contentClient } from "./content-client.ts";
import { httpTransport, path } from "./http-transport.ts";
import { parsedReply } from "./parsed-reply.ts";
import { type CursoredEvents, type EventsQuery, planEventPages } from "./plan-events.ts";
import { type PlansClient, plansClient } from "./plans-client.ts";
import { type ProjectsClient, projectsClient } from "./projects-client.ts";
import { type SchedulesClient, schedulesClient } from "./schedules-client.ts";
import { type SourcesClient, sourcesClient } from "./sources-client.ts";
import { submitPlan } from "./submit-plan.ts";
import { type SyncClient, syncClient } from "./sync-client.ts";
import { systemPorts } from "./system-ports.ts";
import { type TokensClient, tokensClient } from "./tokens-client.ts";
import { type WebhooksClient, webhooksClient } from "./webhooks-client.ts";

export interface PlanledgerClientOptions extends ClientAddress, Partial<ClientPorts> {}

/**
 * A client of one service as one principal. Failures are the named errors of `planledger` (by class and `code`), after
 * bounded, jittered retries of what may succeed later; every method takes an `AbortSignal`.
 */
export interface PlanledgerClient extends Omit<PlansClient, "submit"> {
  /**
   * Submits a plan document. Without `planId` the client makes a ULID, so that its own retries stay one plan; the reply
   * tells it. Documents above 1 MiB go up as content first and are submitted by reference.
   */
  executePlan(request: {
    readonly planId?: string;
    readonly plan: Readonly<Record<string, unknown>>;
    readonly signal?: AbortSignal;
  }): Promise<AcceptedReply>;
  /** Events in order, without gaps; with `follow` until the plan has ended. */
  events(query: EventsQuery): AsyncIterable<EventReply>;
  /** The same in pages, with the cursor that reads on later. */
  eventPages(query: EventsQuery): AsyncIterable<CursoredEvents>;
  readonly projects: ProjectsClient;
  readonly sync: SyncClient;
  readonly sources: SourcesClient;
  readonly schedules: SchedulesClient;
  readonly content: ContentClient;
  readonly tokens: TokensClient;
  readonly webhooks: WebhooksClient;
  /** Public keys as the service gives them; a verification that must not trust the service takes its key from elsewhere. */
  signingKeys(signal?: AbortSignal): Promise<readonly SigningKey[]>;
  version(signal?: AbortSignal): Promise<z.output<typeof versionReply>>;
}

/** Throws `ValidationError` that names `url` or `token`. Ports default to the machine's own; nothing is sent yet. */
export function planledgerClient(options: PlanledgerClientOptions): PlanledgerClient {
  if (typeof options !== "object" || options === null) {
    throw new ValidationError({ field: "options", message: "planledgerClient takes { url, token }" });
  }
  const address = checkedAddress(options);
  const ports: ClientPorts = {
    fetch: options.fetch ?? systemPorts.fetch,
    delay: options.delay ?? systemPorts.delay,
    random: options.random ?? systemPorts.random,
    ids: options.ids ?? systemPorts.ids,
    waiting: options.waiting ?? systemPorts.waiting,
  };
  const transport = httpTransport({ address, ports });
  const { submit, ...plans } = plansClient(transport);
  const content = contentClient(transport);
  return {
    ...plans,
    executePlan: async ({ planId, ...request }) =>
      submitPlan({ submit, content }, { ...request, planId: planId ?? ports.ids.ulid() }),
    eventPages: (query) => planEventPages({ transport, ports }, query),
    events: async function* (query) {
      for await (const page of planEventPages({ transport, ports }, query)) yield* page.events;
    },
    projects: projectsClient(transport),
    sync: syncClient(transport),
    sources: sourcesClient(transport),
    schedules: schedulesClient(transport),
    content,
    tokens: tokensClient(transport),
    webhooks: webhooksClient(transport),
    signingKeys: async (signal) => {
      const request = { method: "GET", path: path("v1", "keys"), repeatable: true, signal } as const;
      return parsedReply(keysReply, await transport.send(request), "keys").keys;
    },
    version: async (signal) => {
      const request = { method: "GET", path: path("v1", "version"), repeatable: true, signal } as const;
      return parsedReply(versionReply, await transport.send(request), "version");
    },
  };
}
