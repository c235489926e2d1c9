import * as z from "zod/mini";
import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { CompiledDecision, PlanRecord, ToolCall } from "../plan/compiled-plan.ts";
import { type DecisionSource, decisionSource } from "../plan/decision-source.ts";
import { loadRunList, type RunDecisions } from "./run-list.ts";
import type { RunRecord } from "./run-record.ts";

const correctionsSchema = z.record(
  z.string(),
  z.array(z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) })),
);
export type Corrections = Readonly<Record<string, readonly ToolCall[]>>;

/** What a run executes: its decisions by position, with their corrected calls where they were given. */
export interface RunPlan {
  readonly source: DecisionSource;
  readonly list: RunDecisions;
  readonly corrections: Corrections;
  /** The decision at a position of the run's list. */
  at(position: number): Promise<CompiledDecision>;
  /** A decision of the plan as this run takes it. */
  corrected(decision: CompiledDecision): CompiledDecision;
}

export async function loadRunPlan(
  { plan, run }: { readonly plan: PlanRecord; readonly run: RunRecord },
  content: ContentStore,
): Promise<RunPlan> {
  const source = decisionSource({ plan: plan.plan, content });
  const list = await loadRunList(run.list, run.decisionCount, content);
  const corrections = await loadCorrections(run, content);

  const corrected = (decision: CompiledDecision): CompiledDecision => {
    const toolCalls = Object.hasOwn(corrections, decision.id) ? corrections[decision.id] : undefined;
    return toolCalls === undefined ? decision : { ...decision, toolCalls };
  };
  return {
    source,
    list,
    corrections,
    corrected,
    async at(position) {
      const ordinal = list.ordinalAt(position);
      const decision = ordinal === undefined ? undefined : await source.at(ordinal);
      if (decision === undefined) {
        throw new InfrastructureError({
          code: "internal",
          message: `Run ${run.run} of plan ${run.planId} has no decision at position ${position}.`,
        });
      }
      return corrected(decision);
    },
  };
}

/** Corrected calls that a run was given, those of earlier runs included. */
export async function loadCorrections(
  run: RunRecord,
  content: Pick<ContentStore, "get">,
): Promise<Corrections> {
  if (run.correctionsSha256 === undefined) {
    return {};
  }
  const bytes = await content.get(run.correctionsSha256);
  if (bytes === undefined) {
    throw new InfrastructureError({
      code: "content_missing",
      message: `The corrections ${run.correctionsSha256} of run ${run.run} of plan ${run.planId} are not in the content store.`,
    });
  }
  return correctionsSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}
