import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { CompiledDecision, PlanRecord } from "../plan/compiled-plan.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import { loadRunPlan, type RunPlan } from "./run-decisions.ts";
import type { PlanKey, RunRecordStore } from "./run-store.ts";

/** `inputBytes` of a decision as a run took it; what an accepted plan lacks is an `InfrastructureError`. */
export type CallInputs = (at: { readonly run: number; readonly ordinal: number }) => Promise<Uint8Array>;

/**
 * The strings in the inputs of a decision's calls as UTF-8, one after another in the order of the canonical form; beside
 * `encoding: "base64"` a `content` is the bytes that it stands for. Most of what a decision writes stands here already, and
 * the plan is never changed: content is kept as a delta over this. The bytes for given calls must stay the same for ever.
 */
export function inputBytes({ toolCalls }: Pick<CompiledDecision, "toolCalls">): Uint8Array {
  const parts: Uint8Array[] = [];
  const collect = (value: unknown, encoding: BufferEncoding): void => {
    if (typeof value === "string") {
      parts.push(Buffer.from(value, encoding));
    } else if (Array.isArray(value)) {
      for (const element of value) {
        collect(element, "utf8");
      }
    } else if (typeof value === "object" && value !== null) {
      const members = Object.entries(value).sort(byKey);
      const isBase64 = members.some(([name, member]) => name === "encoding" && member === "base64");
      for (const [name, member] of members) {
        collect(member, isBase64 && name === "content" ? "base64" : "utf8");
      }
    }
  };
  for (const { input } of toolCalls) {
    collect(input, "utf8");
  }
  return Buffer.concat(parts);
}

/** UTF-16 code units, as in the canonical form. */
function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** Reads the inputs of a plan's decisions, of any of its runs. Loads nothing before it is asked. */
export function callInputs(
  { tenant, planId }: PlanKey,
  ports: {
    readonly plans: Pick<PlanStore, "get">;
    readonly runs: RunRecordStore;
    readonly contentOf: (tenant: string) => ContentStore;
  },
  known?: PlanRecord,
): CallInputs {
  const loaded = new Map<number, Promise<RunPlan>>();

  async function load(number: number): Promise<RunPlan> {
    const [plan, run] = await Promise.all([
      known ?? ports.plans.get({ tenant, planId }),
      ports.runs.getRun({ tenant, planId, run: number }),
    ]);
    if (plan === undefined || run === undefined) {
      throw new InfrastructureError({ message: `Plan ${planId}, run ${number}: its record is not there.` });
    }
    return loadRunPlan({ plan, run }, ports.contentOf(tenant));
  }

  function runPlanOf(number: number): Promise<RunPlan> {
    const standing = loaded.get(number);
    if (standing !== undefined) {
      return standing;
    }
    const loading = load(number);
    loaded.set(number, loading);
    loading.catch(() => loaded.delete(number));
    return loading;
  }

  return async ({ run, ordinal }) => {
    const runPlan = await runPlanOf(run);
    const decision = await runPlan.source.at(ordinal);
    if (decision === undefined) {
      throw new InfrastructureError({
        code: "internal",
        message: `Plan ${planId} has no decision ${ordinal}, over whose input content is kept.`,
      });
    }
    return inputBytes(runPlan.corrected(decision));
  };
}
