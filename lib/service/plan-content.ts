import { NotFoundError } from "../errors/planledger-error.ts";
import { readDecisions } from "../run/read-decisions.ts";
import { readEntryContent, readRunState } from "../run/read-run-state.ts";
import type { PlanKey } from "../run/run-store.ts";
import { openRunView } from "../run/run-view-ports.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";

/**
 * Content of a plan's changeset: before or after an entry of `decision`; without one, of a file as the latest run (or
 * `run`) left it. Anything else is `not_found`, whatever the tenant's store holds.
 */
export const planContent = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
  wanted: { readonly sha256: string; readonly decision?: string | undefined },
): Promise<Uint8Array> => {
  const { sha256, decision } = wanted;
  const bytes =
    decision === undefined
      ? await standingContent(ports, key, sha256)
      : await entryContent(ports, key, { sha256, decision });
  if (bytes !== undefined) return bytes;
  throw new NotFoundError({
    code: "not_found",
    message:
      decision === undefined
        ? `No file that plan ${key.planId} changed has the content ${sha256} now; name the decision for what stood in between.`
        : `No entry of decision ${decision} of plan ${key.planId} has the content ${sha256}.`,
    details: { sha256 },
  });
};

const standingContent = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
  sha256: string,
): Promise<Uint8Array | undefined> => {
  const { frontier } = await openRunView(key, ports);
  const { state } = await readRunState({ ...key, run: frontier.run }, ports);
  for (const paths of state.overlay.values()) {
    for (const { file } of paths.values()) if (file?.sha256 === sha256) return state.content.get(sha256);
  }
  return undefined;
};

const entryContent = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
  { sha256, decision }: { readonly sha256: string; readonly decision: string },
): Promise<Uint8Array | undefined> => {
  const { runPlan } = await openRunView(key, ports);
  const ordinal = await runPlan.source.ordinalOf(decision);
  if (ordinal === undefined) return undefined;
  const { decisions } = await readDecisions(key, { fromOrdinal: ordinal, limit: 1 }, ports);
  const [found] = decisions;
  const named = (found?.record?.entries ?? []).some(
    ({ before, after }) => before?.sha256 === sha256 || after?.sha256 === sha256,
  );
  if (!named || found === undefined) return undefined;
  const { tenant, planId } = key;
  return readEntryContent({ tenant, planId, run: found.run, ordinal }, sha256, ports);
};
