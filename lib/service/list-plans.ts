import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import { mapBounded } from "../content/map-bounded.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import { phaseOf } from "../run/phase-of.ts";
import type { FrontierStore } from "../run/run-store.ts";

const listing = "plans";
const defaultLimit = 50;
const readsAtOnce = 16;

/** A page of a tenant's plans, newest first, each with its phase: one read a plan, some at a time. */
export const listPlans = async (
  ports: {
    readonly plans: Pick<PlanStore, "list">;
    readonly frontiers: Pick<FrontierStore, "latest">;
  },
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
  const { tenant } = query;
  const frontiers = await mapBounded(page.plans, readsAtOnce, ({ planId }) =>
    ports.frontiers.latest({ tenant, planId }),
  );
  return {
    plans: page.plans.map(({ submittedAtEpochMs, ...plan }, index) => {
      const frontier = frontiers[index];
      return {
        ...plan,
        submittedAt: new Date(submittedAtEpochMs).toISOString(),
        ...(frontier === undefined ? {} : { phase: phaseOf(frontier) }),
      };
    }),
    ...(page.cursor === undefined ? {} : { cursor: encodeCursor(listing, page.cursor) }),
  };
};
