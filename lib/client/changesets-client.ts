import type * as z from "zod/mini";
import {
  type DerivedPageReply,
  type DerivedReply,
  derivedPageReply,
  derivedReply,
  type TracedEntryReply,
  traceReply,
} from "../api/apply-replies.ts";
import { type AcceptedReply, acceptedReply } from "../api/plan-replies.ts";
import { checkedId } from "./checked-id.ts";
import { checkedSha256 } from "./content-client.ts";
import { diffPages } from "./diff-pages.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { pages } from "./pages.ts";
import { parsedReply } from "./parsed-reply.ts";

/** Which changeset of which plan, and how to stop. */
export interface ChangesetOrder {
  readonly planId: string;
  readonly digest: string;
  readonly signal?: AbortSignal;
}

/**
 * What is decided about a plan's changesets. What stands in the way is a `ConflictError` with a code of its own, and with the
 * conflicts in its details where files are in the way.
 */
export interface ChangesetsClient {
  /** Begins to apply exactly this digest to the plan's project; the outcome stands in the status as `lastApply`. */
  apply(order: ChangesetOrder & { readonly allowFailed?: boolean }): Promise<AcceptedReply>;
  approve(order: ChangesetOrder & { readonly reason?: string }): Promise<AcceptedReply>;
  reject(order: ChangesetOrder & { readonly reason?: string }): Promise<AcceptedReply>;
  /** Begins to apply a rollback changeset, which `derive` makes. */
  rollback(order: ChangesetOrder): Promise<AcceptedReply>;
  /** Makes a changeset from another; making it again gives the same. */
  derive(order: {
    readonly planId: string;
    readonly kind: "merge" | "partial" | "rollback";
    readonly of: string;
    /** Decisions, of a partial one. */
    readonly only?: readonly string[];
    readonly signal?: AbortSignal;
  }): Promise<DerivedReply>;
  /** A derived changeset, its entries a page at a time. */
  derived(query: ChangesetOrder & { readonly limit?: number }): AsyncIterable<DerivedPageReply>;
  /** Its unified diff, bytes kept, a page at a time; nothing for an empty diff. */
  derivedDiff(query: ChangesetOrder): AsyncIterable<Uint8Array>;
  /** Entries of a path or of a decision, with the reasons for them and the revisions in which they stand. */
  trace(query: {
    readonly planId: string;
    readonly path?: string;
    readonly resource?: string;
    readonly decision?: string;
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<TracedEntryReply>;
}

export function changesetsClient(transport: HttpTransport): ChangesetsClient {
  const planPath = (planId: unknown, ...rest: readonly string[]) =>
    path("v1", "plans", checkedId("planId", planId), ...rest);

  const post = async <Schema extends z.ZodMiniType>(
    schema: Schema,
    order: {
      readonly planId: string;
      readonly what: string;
      readonly body: Readonly<Record<string, unknown>>;
      readonly repeatable: boolean;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<z.output<Schema>> => {
    const { planId, what, body, repeatable, signal } = order;
    const reply = await transport.send({
      method: "POST",
      path: planPath(planId, what),
      body: { json: body },
      repeatable,
      signal,
    });
    return parsedReply(schema, reply, what);
  };

  const decide = (
    what: "apply" | "approve" | "reject" | "rollback",
    order: ChangesetOrder,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<AcceptedReply> =>
    post(acceptedReply, {
      planId: order.planId,
      what,
      body: { digest: checkedSha256(order.digest), ...more },
      // A second apply is told that the first is under way, which would hide that it began.
      repeatable: what === "approve" || what === "reject",
      signal: order.signal,
    });

  const reasonOf = ({ reason }: { readonly reason?: string }) => (reason === undefined ? {} : { reason });

  return {
    apply: (order) =>
      decide("apply", order, order.allowFailed === undefined ? {} : { allowFailed: order.allowFailed }),
    approve: (order) => decide("approve", order, reasonOf(order)),
    reject: (order) => decide("reject", order, reasonOf(order)),
    rollback: (order) => decide("rollback", order),
    derive: ({ planId, kind, of, only, signal }) =>
      post(derivedReply, {
        planId,
        what: "changesets",
        body: { kind, of: checkedSha256(of), ...(only === undefined ? {} : { only }) },
        repeatable: true,
        signal,
      }),
    derived: ({ planId, digest, limit, signal }) =>
      pages(undefined, async (cursor) =>
        parsedReply(
          derivedPageReply,
          await transport.send({
            method: "GET",
            path: planPath(planId, "changesets", checkedSha256(digest)),
            query: { limit, cursor },
            repeatable: true,
            signal,
          }),
          "derived changeset",
        ),
      ),
    derivedDiff: ({ planId, digest, signal }) =>
      diffPages(transport, {
        path: planPath(planId, "changesets", checkedSha256(digest), "diff"),
        query: {},
        signal,
      }),
    trace: async function* ({ planId, signal, ...query }) {
      const read = async (cursor: string | undefined) =>
        parsedReply(
          traceReply,
          await transport.send({
            method: "GET",
            path: planPath(planId, "trace"),
            query: { ...query, cursor },
            repeatable: true,
            signal,
          }),
          "trace",
        );
      for await (const page of pages(undefined, read)) yield* page.traces;
    },
  };
}
