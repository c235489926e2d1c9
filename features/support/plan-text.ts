import { parse } from "yaml";
import * as z from "zod/mini";
import { decisionDocument } from "#lib/plan/plan-document.ts";
import type { StrategyDecision } from "#lib/runtime/strategy-decision.ts";

const document = z.record(z.string(), z.unknown());

/** A plan, or any other record, that a feature file holds as YAML or JSON. */
export function parsedRecord(text: string): Readonly<Record<string, unknown>> {
  return document.parse(parse(text));
}

export function parsedDecisions(text: string): readonly StrategyDecision[] {
  return z.array(decisionDocument).parse(parse(text));
}

export function strategyDecisions(plan: Readonly<Record<string, unknown>>): readonly StrategyDecision[] {
  return z.array(decisionDocument).parse(plan.decisions);
}

/** A plan of independent decisions, each writing a file of its own. */
export function planOfWrites(count: number): Readonly<Record<string, unknown>> {
  const decisions = Array.from({ length: count }, (_, index) => {
    const id = `d${String(index).padStart(5, "0")}`;
    const input = { path: `files/${id}.txt`, content: `file ${index}\n` };
    return { id, toolCalls: [{ tool: "write_file", input }] };
  });
  return { decisions };
}

export function parsedValue(text: string): unknown {
  return parse(text);
}
