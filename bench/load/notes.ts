import { existsSync, readFileSync } from "node:fs";
import * as z from "zod/mini";

const note = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("request"),
    at: z.number(),
    name: z.optional(z.string()),
    status: z.number(),
    milliseconds: z.optional(z.number()),
  }),
  z.object({
    type: z.literal("outcome"),
    at: z.number(),
    kind: z.string(),
    good: z.boolean(),
    milliseconds: z.number(),
    size: z.number(),
    why: z.optional(z.string()),
  }),
]);
type Note = z.infer<typeof note>;
export type RequestNote = Extract<Note, { readonly type: "request" }>;
export type OutcomeNote = Extract<Note, { readonly type: "outcome" }>;

/** What a scenario noted: every request and every outcome, in the order in which they ended. */
export interface Notes {
  readonly requests: readonly RequestNote[];
  readonly outcomes: readonly OutcomeNote[];
}

/** Reads what `processor.mjs` wrote; without a file nothing was noted. */
export function readNotes(file: string): Notes {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const notes = lines.map((line) => note.parse(JSON.parse(line))).sort((one, other) => one.at - other.at);
  return {
    requests: notes.filter((one) => one.type === "request"),
    outcomes: notes.filter((one) => one.type === "outcome"),
  };
}
