import type { NetChange } from "../apply/net-change.ts";
import { netEntries } from "../apply/net-entries.ts";
import type { ContentStore } from "../content/content-store.ts";
import { mapBounded } from "../content/map-bounded.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { PinnedResource } from "../plan/compiled-plan.ts";
import { callInputs } from "../run/call-inputs.ts";
import type { Frontier } from "../run/frontier.ts";
import { loadRunState } from "../run/live-run-state.ts";
import type { ApplyPorts } from "./apply-ports.ts";
import type { FoundChangeset } from "./find-changeset.ts";
import { runDifferences } from "./run-tree.ts";

const putsAtOnce = 8;
const contentsPerQuestion = 500;

/** What a changeset comes to on the one resource that its plan writes, and where the content is. */
export interface ChangesetChanges {
  readonly changes: readonly NetChange[];
  readonly content: Pick<ContentStore, "get">;
}

export async function changesetChanges(
  ports: Pick<ApplyPorts, "steps" | "contentOf" | "storesOf" | "plans" | "runs">,
  frontier: Frontier,
  { changeset, resource }: { readonly changeset: FoundChangeset; readonly resource: PinnedResource },
): Promise<ChangesetChanges> {
  const content = ports.contentOf(frontier.tenant);
  if (changeset.derived !== undefined) {
    return { changes: netEntries(changeset.derived.entries, resource.name), content };
  }
  const inputs = callInputs(frontier, ports);
  const state = await loadRunState(frontier, { steps: ports.steps, content, inputs });
  const differences = await runDifferences(ports.storesOf(frontier.tenant).trees, state, resource);
  return {
    changes: differences.map(({ path, before, after }) => ({
      path,
      before: before ?? null,
      after: after ?? null,
    })),
    content: state.content,
  };
}

/** Content of a run may ride in its steps; what a tree is to hold lies in the tenant's content store. */
export async function keepInStore(
  store: ContentStore,
  { changes, content }: ChangesetChanges,
): Promise<void> {
  const wanted = [...new Set(changes.flatMap(({ after }) => after?.sha256 ?? []))];
  for (let from = 0; from < wanted.length; from += contentsPerQuestion) {
    const lacking = await store.missing(wanted.slice(from, from + contentsPerQuestion));
    await mapBounded(lacking, putsAtOnce, async (sha256) => {
      const bytes = await content.get(sha256);
      if (bytes === undefined) {
        throw new InfrastructureError({
          code: "content_missing",
          message: `The content ${sha256} of a changeset is neither in a step nor in the content store.`,
        });
      }
      await store.put([bytes]);
    });
  }
}
