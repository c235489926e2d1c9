import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { changesetReply } from "../api/plan-replies.ts";
import { readEntries } from "../run/read-entries.ts";
import { readRunState } from "../run/read-run-state.ts";
import type { PlanKey } from "../run/run-store.ts";
import { openRunView } from "../run/run-view-ports.ts";
import { entryReplies } from "./entry-replies.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";
import { runGitTreeId } from "./run-tree.ts";

const defaultLimit = 200;

/** A page of a run's changeset, which goes on from the runs before it. The first page of a sealed one tells git's tree ids. */
export const listEntries = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<z.output<typeof changesetReply>> => {
  const { plan, frontier } = await openRunView(key, ports);
  const listing = `changeset ${key.planId} ${frontier.run}`;
  const runKey = { tenant: key.tenant, planId: key.planId, run: frontier.run };
  const sealed = "digest" in frontier.state ? frontier.state : undefined;
  const [page, resultGitTreeIds] = await Promise.all([
    readEntries(
      runKey,
      {
        limit: query.limit ?? defaultLimit,
        ...(query.cursor === undefined ? {} : { cursor: decodeCursor(query.cursor, listing, z.string()) }),
      },
      ports,
    ),
    sealed === undefined || query.cursor !== undefined ? undefined : gitTreeIds(ports, runKey),
  ]);
  return {
    planId: key.planId,
    run: frontier.run,
    changesetId: frontier.changesetId,
    state: sealed === undefined ? "open" : "sealed",
    ...(sealed === undefined ? {} : { digest: sealed.digest }),
    baseTrees: Object.fromEntries(plan.plan.resources.map(({ name, baseTree }) => [name, baseTree])),
    ...(resultGitTreeIds === undefined ? {} : { resultGitTreeIds }),
    entries: entryReplies(page.entries),
    ...(page.cursor === undefined ? {} : { cursor: encodeCursor(listing, page.cursor) }),
  };
};

const gitTreeIds = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run: number },
): Promise<Record<string, string>> => {
  const { view, state } = await readRunState(key, ports);
  const { trees } = ports.storesOf(key.tenant);
  const ids: Record<string, string> = {};
  for (const resource of view.plan.plan.resources) {
    ids[resource.name] = await runGitTreeId(trees, state, resource);
  }
  return ids;
};
