import { initialDigest } from "../changeset/digest.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { Clock, IdSource } from "./clock.ts";
import type { Frontier } from "./frontier.ts";
import { ledgerGenesis } from "./ledger-chain.ts";
import type { FrontierStore, HintQueue } from "./run-store.ts";
import { hintOf } from "./watch-hint.ts";

/**
 * Makes run 1 of an accepted plan and sends its hint. Idempotent: called again it answers the frontier that stands, and
 * sends a hint again while the run has not begun, since a crash may have swallowed the first.
 */
export async function startRun(
  plan: PlanRecord,
  ports: {
    readonly frontiers: FrontierStore;
    readonly hints: HintQueue;
    readonly clock: Clock;
    readonly ids: IdSource;
  },
): Promise<Frontier> {
  const { tenant, planId, documentSha256 } = plan;
  const baseTrees = Object.fromEntries(plan.plan.resources.map(({ name, baseTree }) => [name, baseTree]));
  const { frontier } = await ports.frontiers.create({
    v: 1,
    tenant,
    planId,
    run: 1,
    changesetId: ports.ids.ulid(),
    requestedBy: plan.submittedBy,
    requestedAtEpochMs: ports.clock.now(),
    list: { kind: "all" },
    decisionCount: plan.plan.decisionCount,
    startsFrom: {
      chainHead: initialDigest(planId, baseTrees),
      ledgerHead: ledgerGenesis(planId, documentSha256),
      lastSeq: 0,
    },
  });
  if (frontier.state.phase === "submitted") {
    await ports.hints.send(hintOf(frontier));
  }
  return frontier;
}
