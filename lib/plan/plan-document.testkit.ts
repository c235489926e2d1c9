import fc from "fast-check";
import type { DecisionDocument, PlanDocument } from "./plan-document.ts";

/** Decisions `d0`, `d1`, … whose dependencies form no cycle, though they may point forwards in the list. */
export const acyclicDecisions = (maxLength: number): fc.Arbitrary<readonly DecisionDocument[]> =>
  fc.integer({ min: 0, max: maxLength }).chain((count) =>
    fc
      .tuple(
        fc.shuffledSubarray(
          Array.from({ length: count }, (_, index) => index),
          { minLength: count },
        ),
        fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: count, maxLength: count }),
      )
      .map(([rank, picks]) =>
        rank.map((own, index) => {
          const below = rank.flatMap((other, at) => (other < own ? [`d${at}`] : []));
          const dependsOn = (picks[index] ?? []).flatMap((pick) => below[pick % (below.length || 1)] ?? []);
          return { id: `d${index}`, dependsOn };
        }),
      ),
  );

const plain = { noNullPrototype: true };

const toolInput = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,5}$/),
  fc.oneof(fc.string(), fc.integer(), fc.boolean()),
  plain,
);
const toolCalls = fc.array(
  fc.record({ tool: fc.constantFrom("write_file", "edit_file", "move_file"), input: toolInput }, plain),
  { maxLength: 3 },
);

/** Documents that `parsePlanDocument` accepts, defaults now given, now left out. */
export const planDocuments: fc.Arbitrary<PlanDocument> = acyclicDecisions(8).chain((decisions) =>
  fc
    .record(
      {
        name: fc.string(),
        decisionRootId: fc.constant("root"),
        automationProfile: fc.constantFrom("manual", "review", "auto"),
        projectResources: fc.constantFrom(
          {},
          { app: {} },
          { app: { access: "write" as const, project: "local/app" } },
          { app: { access: "write" as const }, lib: { access: "read" as const } },
        ),
        resourceBindings: fc.constant({}),
      },
      { ...plain, requiredKeys: [] },
    )
    .chain((envelope) =>
      fc
        .array(fc.record({ rationale: fc.string(), toolCalls }, { ...plain, requiredKeys: [] }), {
          minLength: decisions.length,
          maxLength: decisions.length,
        })
        .map((details) => ({
          ...envelope,
          decisions: decisions.map((decision, index) => ({ ...decision, ...details[index] })),
        })),
    ),
);
