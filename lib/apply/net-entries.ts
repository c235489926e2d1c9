import type { ChangeEntry } from "../changeset/change-entry.ts";
import { changeKind } from "../changeset/change-kind.ts";
import { PlanError } from "../errors/planledger-error.ts";
import { byteOrder } from "../tree/byte-order.ts";

/**
 * What entries come to, one entry for each path of a resource: first state before, last state after, decision and call of the
 * last writer; in byte order of the paths, paths left out that end as they began. Usable wherever `NetChange`s are wanted.
 * Entries are taken in the order given and must chain: one that does not begin where the one before on its path ended is an
 * `internal` error, since no apply may rest on such a changeset.
 */
export function netEntries(entries: Iterable<ChangeEntry>, resource: string): readonly ChangeEntry[] {
  const byPath = new Map<string, ChangeEntry>();
  for (const entry of entries) {
    if (entry.resource !== resource) continue;
    const earlier = byPath.get(entry.path);
    if (earlier !== undefined && changeKind(earlier.after, entry.before) !== undefined) {
      throw unchained(earlier, entry);
    }
    byPath.set(entry.path, earlier === undefined ? entry : { ...entry, before: earlier.before });
  }
  const net: ChangeEntry[] = [];
  for (const entry of byPath.values()) {
    const kind = changeKind(entry.before, entry.after);
    if (kind !== undefined) net.push({ ...entry, kind });
  }
  return net.sort((a, b) => byteOrder(a.path, b.path));
}

function unchained(earlier: ChangeEntry, entry: ChangeEntry): PlanError {
  return new PlanError({
    code: "internal",
    message: `The entries of ${JSON.stringify(entry.path)} do not chain: decision ${entry.decisionId}, call ${entry.callOrdinal}, does not begin where decision ${earlier.decisionId}, call ${earlier.callOrdinal}, ended.`,
    details: { path: entry.path, resource: entry.resource, decisionId: entry.decisionId },
  });
}
