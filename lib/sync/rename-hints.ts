import { defaultName, itemContentSha256 } from "./item-content.ts";
import type { LocalItems } from "./local-items.ts";
import type { SyncStep } from "./plan-sync.ts";
import type { SyncItem } from "./sync-item.ts";
import type { SyncProblem } from "./sync-summary.ts";

/** Comparisons of contents, at most: a hint is not worth more. */
const maximumCompared = 2_000;

/**
 * New items that hold, id aside, what an item holds that is gone here: most often a skill whose folder was renamed, which a sync
 * takes for another one. Nothing is decided by it.
 */
export async function renameHints(
  steps: readonly SyncStep[],
  local: Pick<LocalItems, "load">,
): Promise<readonly SyncProblem[]> {
  const gone = steps.filter(isGoneHere);
  const hints: SyncProblem[] = [];
  let compared = 0;
  for (const step of gone.length === 0 ? [] : steps.filter(isNewHere)) {
    const lost = gone.filter(({ key }) => key.kind === step.key.kind);
    compared += lost.length;
    if (compared > maximumCompared) break;
    const found = lost.length === 0 ? undefined : await local.load(step.key).catch(() => undefined);
    const same = lost.find(
      ({ key, row }) => found !== undefined && hashAs(found.item, key.id).includes(row?.contentSha256 ?? ""),
    );
    if (same !== undefined) hints.push(hint(step, same));
  }
  return hints;
}

const isGoneHere = ({ entry, row, decision }: SyncStep): boolean =>
  entry === undefined &&
  row?.deleted === false &&
  (decision.kind === "delete_remote" || (decision.kind === "skip" && decision.reason === "deleted_here"));

const isNewHere = ({ decision }: SyncStep): boolean =>
  decision.kind === "create" || (decision.kind === "skip" && decision.reason === "new_here");

/** Under another id, with its name as it is, and with that id's where it was its own id's. */
const hashAs = (item: SyncItem, id: string): readonly string[] => {
  const renamed = { ...item, id };
  const hash = itemContentSha256(renamed);
  if (item.name !== defaultName(item.id)) return [hash];
  return [hash, itemContentSha256({ ...renamed, name: defaultName(id) })];
};

function hint({ key, entry }: SyncStep, { key: lost }: SyncStep): SyncProblem {
  const { kind, id } = key;
  const place = entry?.place ?? id;
  const how = kind === "skills" ? `metadata: { id: ${lost.id} }` : `the id ${lost.id}`;
  return {
    kind,
    item: id,
    reason: `${place} holds what ${lost.id} does, which is gone here. Items are known by their ids, so this is a new one, and the old one stays on the service without --prune. To keep it the same item with its history, give it ${how}.`,
  };
}
