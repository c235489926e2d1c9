import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { PlanStore } from "../plan/plan-store.ts";

const listing = "plans";
const defaultLimit = 50;

/** A page of a tenant's plans, newest first. */
export const listPlans = async (
  ports: { readonly plans: Pick<PlanStore, "list"> },
  query: {
    readonly tenant: string;
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
  },
) => {
  const page = await ports.plans.list({
    tenant: query.tenant,
    limit: query.limit ?? defaultLimit,
    ...(query.cursor === undefined ? {} : { cursor: decodeCursor(query.cursor, listing, z.string()) }),
  });
  return {
    plans: page.plans.map(({ submittedAtEpochMs, ...plan }) => ({
      ...plan,
      submittedAt: new Date(submittedAtEpochMs).toISOString(),
    })),
    ...(page.cursor === undefined ? {} : { cursor: encodeCursor(listing, page.cursor) }),
  };
};
