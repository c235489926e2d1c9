import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { ContentStore } from "../content/content-store.ts";
import { mapBounded } from "../content/map-bounded.ts";
import { ConflictError, NotFoundError } from "../errors/planledger-error.ts";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { textAttribute } from "../table/item-attributes.ts";
import { spillAboveBytes, spillBytes, unspillBytes } from "../table/spilled-bytes.ts";
import type { TableItem } from "../table/table-item.ts";
import { changesetPartition, keyPart, tenDigits } from "../table/table-keys.ts";
import type { ChangeSet } from "./change-set.ts";
import {
  type ChangesetHead,
  decodeContent,
  decodeDecision,
  decodeHead,
  encodeContent,
  encodeDecision,
  encodeHead,
} from "./change-set-items.ts";
import type { ChangeSetStore, DecisionChanges } from "./change-set-store.ts";
import { inRanges, rangesOf } from "./position-ranges.ts";
import { sameChanges } from "./same-changes.ts";

const headKey = "HEAD";
const decisionPrefix = "D#";
const pageSize = 200;
const requestsAtOnce = 8;

/**
 * One tenant's changesets on DynamoDB: a head, an item for each decision and one for each content, in a partition of the
 * changeset's own. Sealing takes two writes and no transaction: the first marks the head with the digest, the second fixes
 * which positions the changeset holds; an append that was under way counts if it is among them, else it is refused, and
 * what it wrote is never shown. Whoever meets a head that is only marked does the second write.
 */
export function dynamodbChangeSetStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly tenant: string;
  /** Where content and entries beyond `spillAboveBytes` lie. */
  readonly content: ContentStore;
  /** 300,000 by default. */
  readonly spillAboveBytes?: number;
}): ChangeSetStore {
  const table = dynamodbTable(options);
  const { tenant, content } = options;
  const aboveBytes = options.spillAboveBytes ?? spillAboveBytes;
  const pkOf = (changesetId: string) => changesetPartition({ tenant, changesetId });

  const readHead = async (changesetId: string): Promise<ChangesetHead | undefined> => {
    const item = await table.get({ pk: pkOf(changesetId), sk: headKey });
    return item === undefined ? undefined : decodeHead(item);
  };

  const decisionItems = async (changesetId: string): Promise<TableItem[]> => {
    const items: TableItem[] = [];
    let after: string | undefined;
    do {
      const page = await table.query({
        pk: pkOf(changesetId),
        from: decisionPrefix,
        to: `${decisionPrefix}~`,
        limit: pageSize,
        ...(after === undefined ? {} : { after }),
      });
      items.push(...page.items);
      const last = page.items.at(-1);
      after = page.more && last !== undefined ? textAttribute(last, "sk") : undefined;
    } while (after !== undefined);
    return items;
  };

  const putHead = (changesetId: string, head: ChangesetHead, from: ChangesetHead["state"]) =>
    table.putIf(
      { pk: pkOf(changesetId), sk: headKey, ...encodeHead(head) },
      { expression: "st = :from", values: { ":from": from } },
    );

  /** The head with the positions fixed; those that stand, whoever fixed them. */
  const finishSeal = async (
    changesetId: string,
    head: Extract<ChangesetHead, { state: "sealing" }>,
  ): Promise<Extract<ChangesetHead, { state: "sealed" }>> => {
    const positions = (await decisionItems(changesetId)).map(positionOf);
    const sealed = { ...head, state: "sealed", positions: rangesOf(positions) } as const;
    const outcome = await putHead(changesetId, sealed, "sealing");
    if (outcome.written || outcome.standing === undefined) return sealed;
    const standing = decodeHead(outcome.standing);
    return standing.state === "sealed" ? standing : sealed;
  };

  const writeContents = async (changesetId: string, contents: DecisionChanges["contents"]): Promise<void> => {
    await mapBounded([...contents], requestsAtOnce, async ([sha256, bytes]) => {
      await table.putIfAbsent({
        pk: pkOf(changesetId),
        sk: contentKey(sha256),
        ...(await encodeContent(bytes, { content, aboveBytes })),
      });
    });
  };

  return {
    async start({ changesetId, planId }) {
      const outcome = await table.putIfAbsent({
        pk: pkOf(changesetId),
        sk: headKey,
        ...encodeHead({ state: "open", planId }),
      });
      const standing =
        outcome.written || outcome.standing === undefined ? undefined : decodeHead(outcome.standing);
      if (standing === undefined || standing.planId === planId) return;
      throw new ConflictError({
        code: "store_conflict",
        message: `Changeset ${changesetId} belongs to plan ${standing.planId}, not to ${planId}.`,
        details: { changesetId, planId: standing.planId },
      });
    },

    async append(changesetId, changes) {
      const { decisionId, position } = changes;
      const before = await readHead(changesetId);
      if (before === undefined) throw notStarted(changesetId);
      if (before.state !== "open") throw sealedAlready(changesetId, before.digest, decisionId);
      await writeContents(changesetId, changes.contents);
      const outcome = await table.putIfAbsent({
        pk: pkOf(changesetId),
        sk: decisionPrefix + tenDigits(position, "position"),
        ...(await spillBytes(encodeDecision(changes), { content, aboveBytes })),
      });
      if (!outcome.written && outcome.standing !== undefined) {
        const standing = decodeDecision(await unspillBytes(outcome.standing, content));
        if (!sameChanges(standing, changes)) throw taken(changesetId, position, standing.decisionId);
      }
      const head = await readHead(changesetId);
      if (head === undefined || head.state === "open") return;
      const sealed = head.state === "sealed" ? head : await finishSeal(changesetId, head);
      if (!inRanges(sealed.positions, position)) throw sealedAlready(changesetId, sealed.digest, decisionId);
    },

    async seal(changesetId, digest) {
      const before = await readHead(changesetId);
      if (before === undefined) throw notStarted(changesetId);
      const marked = { state: "sealing", planId: before.planId, digest } as const;
      let head: ChangesetHead = before;
      if (before.state === "open") {
        const outcome = await putHead(changesetId, marked, "open");
        head = outcome.written || outcome.standing === undefined ? marked : decodeHead(outcome.standing);
      }
      if (head.state === "sealing") head = await finishSeal(changesetId, head);
      if (head.state === "sealed" && head.digest !== digest) {
        throw new ConflictError({
          code: "changeset_sealed",
          message: `Changeset ${changesetId} is sealed under ${head.digest}, not under ${digest}.`,
          details: { changesetId, digest: head.digest },
        });
      }
    },

    async get(changesetId): Promise<ChangeSet | undefined> {
      for (;;) {
        const first = await readHead(changesetId);
        if (first === undefined) return undefined;
        const before = first.state === "sealing" ? await finishSeal(changesetId, first) : first;
        const items = await decisionItems(changesetId);
        // What was read while the changeset is still open counts; once it is sealed, only its positions tell.
        if (before.state === "open" && (await readHead(changesetId))?.state !== "open") continue;
        const counted =
          before.state === "open"
            ? items
            : items.filter((item) => inRanges(before.positions, positionOf(item)));
        const decisions = await mapBounded(counted, requestsAtOnce, async (item) =>
          decodeDecision(await unspillBytes(item, content)),
        );
        const entries = decisions.flatMap((decision) => decision.entries);
        const { planId } = before;
        return before.state === "open"
          ? { changesetId, planId, entries, state: "open" }
          : { changesetId, planId, entries, state: "sealed", digest: before.digest };
      }
    },

    async content(changesetId, sha256) {
      const item = await table.get({ pk: pkOf(changesetId), sk: contentKey(sha256) });
      return item === undefined ? undefined : decodeContent(item, content);
    },
  };
}

function contentKey(sha256: string): string {
  return `B#${keyPart(sha256, "sha256")}`;
}

function positionOf(item: TableItem): number {
  return Number(textAttribute(item, "sk").slice(decisionPrefix.length));
}

function notStarted(changesetId: string): NotFoundError {
  return new NotFoundError({
    code: "not_found",
    message: `There is no changeset ${changesetId}; start it before recording into it.`,
    details: { changesetId },
  });
}

function sealedAlready(changesetId: string, digest: string, decisionId: string): ConflictError {
  return new ConflictError({
    code: "changeset_sealed",
    message: `Changeset ${changesetId} is sealed under ${digest}; decision ${decisionId} cannot be added to it.`,
    details: { changesetId, digest },
  });
}

function taken(changesetId: string, position: number, decisionId: string): ConflictError {
  return new ConflictError({
    code: "store_conflict",
    message: `Changeset ${changesetId} already holds other changes (decision ${decisionId}) at position ${position}.`,
    details: { changesetId, position, decisionId },
  });
}
