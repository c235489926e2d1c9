import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import { netChanges } from "../changeset/net-changes.ts";
import { type FileDiffPiece, treeDiff } from "../diff/tree-diff.ts";
import { InfrastructureError, NotFoundError } from "../errors/planledger-error.ts";
import { readDecisions } from "../run/read-decisions.ts";
import { entryContents, readRunState } from "../run/read-run-state.ts";
import type { PlanKey } from "../run/run-store.ts";
import { openRunView } from "../run/run-view-ports.ts";
import type { TreeDifference } from "../tree/tree-difference.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";
import { runDifferences } from "./run-tree.ts";

/** Of diff on one page, in base64 well below what a function may give back. */
const pageMaximumBytes = 2 * 1024 * 1024;
/** Of thousands of small files each is read by itself; more of them do not come in time. */
const pageMaximumFiles = 500;

export interface DiffQuery {
  readonly run?: number | undefined;
  readonly decision?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface DiffPage {
  readonly bytes: Uint8Array;
  readonly cursor?: string;
}

/** Where a page ended: behind a file, or within the diff of one that alone is larger than a page. */
const position = z.strictObject({
  after: z.optional(z.string()),
  offset: z.optional(z.int().check(z.positive())),
});

/**
 * A page of the unified diff from the bases to what a run left (the latest without `run`), or of what one decision changed.
 * Pages end at file boundaries, unless the diff of one file alone is larger than a page; all of them together are what
 * `git apply` takes.
 */
export const diffPage = async (ports: PlanViewPorts, key: PlanKey, query: DiffQuery): Promise<DiffPage> => {
  const source =
    query.decision === undefined
      ? await runSource(ports, { ...key, ...runOf(query) })
      : await decisionSource(ports, { ...key, ...runOf(query) }, query.decision);
  return differencesPage({
    listing: `diff ${key.planId} ${query.run ?? "latest"} ${query.decision ?? ""}`,
    cursor: query.cursor,
    source,
  });
};

/** A page of the diff of any differences; `listing` names what its cursors are for. */
export const differencesPage = async (paged: {
  readonly listing: string;
  readonly cursor: string | undefined;
  readonly source: DiffSource;
}): Promise<DiffPage> => {
  const { listing, cursor, source } = paged;
  const from = cursor === undefined ? {} : decodeCursor(cursor, listing, position);
  const page = await cutPage(
    treeDiff({
      differences: source.differences,
      readContent: async (sha256) => required(await source.content(sha256), sha256),
      ...(from.after === undefined ? {} : { after: from.after }),
    }),
    from,
  );
  return {
    bytes: page.bytes,
    ...(page.next === undefined ? {} : { cursor: encodeCursor(listing, page.next) }),
  };
};

const runOf = ({ run }: DiffQuery) => (run === undefined ? {} : { run });

interface DiffSource {
  readonly differences: readonly TreeDifference[];
  content(sha256: string): Promise<Uint8Array | undefined>;
}

const runSource = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
): Promise<DiffSource> => {
  const { frontier } = await openRunView(key, ports);
  const { view, state } = await readRunState({ ...key, run: frontier.run }, ports);
  const { trees } = ports.storesOf(key.tenant);
  const differences: TreeDifference[] = [];
  for (const resource of view.plan.plan.resources) {
    differences.push(...(await runDifferences(trees, state, resource)));
  }
  return { differences, content: (sha256) => state.content.get(sha256) };
};

const decisionSource = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
  decisionId: string,
): Promise<DiffSource> => {
  const { plan, runPlan } = await openRunView(key, ports);
  const ordinal = await runPlan.source.ordinalOf(decisionId);
  if (ordinal === undefined) {
    throw new NotFoundError({
      code: "not_found",
      message: `Plan ${key.planId} has no decision ${decisionId}.`,
      details: { field: "decision" },
    });
  }
  const { decisions } = await readDecisions(key, { fromOrdinal: ordinal, limit: 1 }, ports);
  const [found] = decisions;
  const entries = found?.record?.entries ?? [];
  const { tenant, planId } = key;
  return {
    differences: plan.plan.resources.flatMap(({ name }) => netChanges(entries, name)),
    content: await entryContents({ tenant, planId, run: found?.run ?? 1, ordinal }, ports),
  };
};

const required = (bytes: Uint8Array | undefined, sha256: string): Uint8Array => {
  if (bytes !== undefined) return bytes;
  throw new InfrastructureError({
    message: `The content ${sha256} of a changeset is not in the store (yet).`,
  });
};

const cutPage = async (
  pieces: AsyncIterable<FileDiffPiece>,
  from: z.output<typeof position>,
): Promise<{ readonly bytes: Uint8Array; readonly next?: z.output<typeof position> }> => {
  const taken: Uint8Array[] = [];
  let sizeBytes = 0;
  let after = from.after;
  let skipBytes = from.offset ?? 0;
  let files = 0;
  for await (const { path, bytes } of pieces) {
    const rest = bytes.subarray(skipBytes);
    if (files === pageMaximumFiles || (sizeBytes > 0 && sizeBytes + rest.byteLength > pageMaximumBytes)) {
      return { bytes: Buffer.concat(taken), next: { ...(after === undefined ? {} : { after }) } };
    }
    if (rest.byteLength > pageMaximumBytes) {
      const next = { ...(after === undefined ? {} : { after }), offset: skipBytes + pageMaximumBytes };
      return { bytes: rest.subarray(0, pageMaximumBytes), next };
    }
    taken.push(rest);
    sizeBytes += rest.byteLength;
    after = path;
    skipBytes = 0;
    files += 1;
  }
  return { bytes: Buffer.concat(taken) };
};
