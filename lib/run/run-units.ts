import type { RunUnits } from "./frontier.ts";

export const noUnits: RunUnits = {
  steps: 0,
  stepWriteUnits: 0,
  frontierMoves: 0,
  contentPuts: 0,
  hints: 0,
  invocations: 0,
  workMs: 0,
};

export function addUnits(units: RunUnits, more: Partial<RunUnits>): RunUnits {
  return {
    steps: units.steps + (more.steps ?? 0),
    stepWriteUnits: units.stepWriteUnits + (more.stepWriteUnits ?? 0),
    frontierMoves: units.frontierMoves + (more.frontierMoves ?? 0),
    contentPuts: units.contentPuts + (more.contentPuts ?? 0),
    hints: units.hints + (more.hints ?? 0),
    invocations: units.invocations + (more.invocations ?? 0),
    workMs: units.workMs + (more.workMs ?? 0),
  };
}

export const writeUnits = (bytes: number): number => Math.ceil(bytes / 1024);
