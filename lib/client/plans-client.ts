import type * as z from "zod/mini";
import {
  type AcceptedReply,
  acceptedReply,
  type changesetReply as ChangesetSchema,
  changesetReply,
  type DecisionReply,
  decisionsReply,
  ledgerReply,
  type planListReply as PlanListSchema,
  type PlanStatusReply,
  planListReply,
  planStatusReply,
} from "../api/plan-replies.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import type { LedgerBodyLine } from "../ledger/ledger-line.ts";
import type { ToolCall } from "../plan/compiled-plan.ts";
import { type ChangesetsClient, changesetsClient } from "./changesets-client.ts";
import { checkedId } from "./checked-id.ts";
import { checkedSha256, verified } from "./content-client.ts";
import { diffPages } from "./diff-pages.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { pages } from "./pages.ts";
import { parsedReply } from "./parsed-reply.ts";

export type ChangesetPage = z.infer<typeof ChangesetSchema>;
export type ListedPlan = z.infer<typeof PlanListSchema>["plans"][number];

/** Which plan, which of its runs (the latest by default), how many a page, and how to stop. */
export interface PlanQuery {
  readonly planId: string;
  readonly run?: number;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * Plans of the token's tenant. A plan is named by the caller's id or the service's `pln_…`. Iterators read one page at a
 * time and in the service's order; a bad id is a `ValidationError` before anything is sent.
 */
export interface PlansClient extends ChangesetsClient {
  /**
   * Submits a plan document (JSON value). Sending it again is safe: the same id and document are one plan. Another
   * document under the id is a `ConflictError` (`plan_exists`). `planId` must be given: `planledgerClient` makes one.
   */
  submit(request: {
    readonly planId: string;
    readonly plan: unknown;
    readonly signal?: AbortSignal;
  }): Promise<AcceptedReply>;
  planStatus(query: PlanQuery): Promise<PlanStatusReply>;
  /** Decisions in plan order, pending ones included. */
  decisions(query: PlanQuery): AsyncIterable<DecisionReply>;
  changeset(query: PlanQuery): AsyncIterable<ChangesetPage>;
  /** The unified diff, bytes kept, a page at a time, each ending at a file's boundary; nothing for an empty diff. */
  diff(query: PlanQuery & { readonly decision?: string }): AsyncIterable<Uint8Array>;
  /** Content before or after an entry of this plan's changesets. */
  planContent(query: {
    readonly planId: string;
    readonly sha256: string;
    readonly signal?: AbortSignal;
  }): Promise<Uint8Array>;
  /** The ledger's lines, of all runs, in order; `ledgerExport` makes the file of them that `verifyLedger` takes. */
  ledger(query: Omit<PlanQuery, "run">): AsyncIterable<LedgerBodyLine>;
  /** Newest first. */
  listPlans(query?: {
    readonly limit?: number;
    readonly cursor?: string;
    readonly signal?: AbortSignal;
  }): AsyncIterable<ListedPlan>;
  pause(order: PlanOrder): Promise<AcceptedReply>;
  cancel(order: PlanOrder): Promise<AcceptedReply>;
  /** Releases a pause, or opens a further run after an end; `toolCalls` replaces the calls of decisions that did not land. */
  resume(
    order: Omit<PlanOrder, "reason"> & {
      readonly toolCalls?: Readonly<Record<string, readonly ToolCall[]>>;
    },
  ): Promise<AcceptedReply>;
}

export interface PlanOrder {
  readonly planId: string;
  readonly reason?: string;
  readonly signal?: AbortSignal;
}

export function plansClient(transport: HttpTransport): PlansClient {
  const planPath = (planId: unknown, ...rest: readonly string[]) =>
    path("v1", "plans", checkedId("planId", planId), ...rest);

  const get = async <Schema extends z.ZodMiniType>(
    schema: Schema,
    what: string,
    query: PlanQuery & { readonly cursor?: string | undefined },
  ) => {
    const { run, limit, cursor, signal } = query;
    const rest = what === "status" ? [] : [what];
    const reply = await transport.send({
      method: "GET",
      path: planPath(query.planId, ...rest),
      query: { run: checkedCount("run", run), limit: checkedCount("limit", limit), cursor },
      repeatable: true,
      signal,
    });
    return parsedReply(schema, reply, `plan ${what}`);
  };

  const order = async (what: string, target: PlanOrder, body: Readonly<Record<string, unknown>>) => {
    const reply = await transport.send({
      method: "POST",
      path: planPath(target.planId, what),
      body: { json: body },
      repeatable: what !== "resume",
      signal: target.signal,
    });
    return parsedReply(acceptedReply, reply, what);
  };

  const reasonOf = ({ reason }: PlanOrder) => (reason === undefined ? {} : { reason });

  return {
    ...changesetsClient(transport),
    submit: async ({ planId, plan, signal }) => {
      const reply = await transport.send({
        method: "POST",
        path: planPath(planId, "execute"),
        body: { json: plan },
        repeatable: true,
        signal,
      });
      return parsedReply(acceptedReply, reply, "execute");
    },
    planStatus: (query) => get(planStatusReply, "status", query),
    decisions: async function* (query) {
      const read = (cursor: string | undefined) => get(decisionsReply, "decisions", { ...query, cursor });
      for await (const page of pages(undefined, read)) yield* page.decisions;
    },
    changeset: (query) =>
      pages(undefined, (cursor) => get(changesetReply, "changeset", { ...query, cursor })),
    diff: (query) =>
      diffPages(transport, {
        path: planPath(query.planId, "diff"),
        query: {
          run: checkedCount("run", query.run),
          decision: query.decision === undefined ? undefined : checkedId("decision", query.decision),
        },
        signal: query.signal,
      }),
    planContent: async ({ planId, sha256, signal }) => {
      const reply = await transport.send({
        method: "GET",
        path: planPath(planId, "content", checkedSha256(sha256)),
        repeatable: true,
        redirects: true,
        signal,
      });
      return verified(reply.bytes, sha256);
    },
    ledger: async function* (query) {
      const read = (cursor: string | undefined) => get(ledgerReply, "ledger", { ...query, cursor });
      for await (const page of pages(undefined, read)) yield* page.lines;
    },
    listPlans: async function* (query = {}) {
      const read = async (cursor: string | undefined) =>
        parsedReply(
          planListReply,
          await transport.send({
            method: "GET",
            path: path("v1", "plans"),
            query: { limit: checkedCount("limit", query.limit), cursor },
            repeatable: true,
            signal: query.signal,
          }),
          "plan list",
        );
      for await (const page of pages(query.cursor, read)) yield* page.plans;
    },
    pause: (target) => order("pause", target, reasonOf(target)),
    cancel: (target) => order("cancel", target, reasonOf(target)),
    resume: (target) =>
      order("resume", target, target.toolCalls === undefined ? {} : { toolCalls: target.toolCalls }),
  };
}

function checkedCount(field: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) return value;
  throw new ValidationError({ field, message: `${field} must be a whole number from 1 on, not ${value}` });
}
