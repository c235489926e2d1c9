import type { ResourceKind } from "../resource/resource-store.ts";
import { decideSync, type SyncRules } from "./decide-sync.ts";
import { effectiveBase } from "./effective-base.ts";
import type { LocalEntry, LocalFault } from "./local-items.ts";
import type { SyncBase } from "./sync-base-store.ts";
import type { SyncDecision } from "./sync-decision.ts";
import { syncKeyText } from "./sync-key-text.ts";
import type { LocalState, RemoteState } from "./sync-state.ts";
import type { SyncKey, SyncRow } from "./sync-transport.ts";

/** What is known of one item, and what is to happen to it. */
export interface SyncStep {
  readonly key: SyncKey;
  readonly entry: LocalEntry | undefined;
  readonly row: SyncRow | undefined;
  readonly decision: SyncDecision;
}

export interface SyncPlan {
  /** By kind, in the kinds' order, and then by id. */
  readonly steps: readonly SyncStep[];
  /** Items that cannot be synced; several items of one id among them. Nothing is decided about their ids. */
  readonly faults: readonly LocalFault[];
}

/** Both sides and the bases as they were found. */
export interface SyncFindings {
  readonly kinds: readonly ResourceKind[];
  readonly rows: readonly SyncRow[];
  readonly entries: readonly LocalEntry[];
  readonly faults: readonly LocalFault[];
  readonly baseOf: (key: SyncKey) => SyncBase;
  readonly baseKeys: readonly SyncKey[];
}

/** What is to happen, item by item: the same findings and rules give the same plan. */
export function planSync(findings: SyncFindings, rules: SyncRules): SyncPlan {
  const faults = [...findings.faults, ...duplicates(findings.entries)];
  const faulty = new Set(
    faults.flatMap(({ kind, id }) => (id === undefined ? [] : [syncKeyText({ kind, id })])),
  );
  const unreadableKinds = new Set(faults.filter(({ id }) => id === undefined).map(({ kind }) => kind));
  const rows = new Map(findings.rows.map((row) => [syncKeyText(row), row]));
  const entries = new Map(findings.entries.map((entry) => [syncKeyText(entry), entry]));
  const keys = keysInOrder(findings, [...findings.rows, ...findings.entries, ...findings.baseKeys]);

  const steps = keys
    .filter((key) => !faulty.has(syncKeyText(key)))
    .map((key): SyncStep => {
      const entry = entries.get(syncKeyText(key));
      const row = rows.get(syncKeyText(key));
      const base = findings.baseOf(key);
      const known = { entry, row, base };
      const unsure = entry === undefined && unreadableKinds.has(key.kind);
      return { key, entry, row, decision: unsure ? decideUnsure(known, rules) : decideStep(known, rules) };
    });
  return { steps, faults };
}

/** The decision about what is known of one item. */
export function decideStep(
  known: Pick<SyncStep, "entry" | "row"> & { readonly base: SyncBase },
  rules: SyncRules,
): SyncDecision {
  const sides = { local: localState(known.entry), remote: remoteState(known.row) };
  return decideSync({ ...rules, ...sides, base: effectiveBase(known.base, sides) });
}

/** It may stand in what cannot be read, so it is not taken as deleted here; what was never here can still be pulled. */
function decideUnsure(known: Parameters<typeof decideStep>[0], rules: SyncRules): SyncDecision {
  const { base, row } = known;
  if (row === undefined || row.deleted) return { kind: "none", agreed: false };
  const wasHere = base.base.kind === "content" || base.intents.length > 0;
  return wasHere ? { kind: "skip", reason: "local_unreadable" } : decideStep(known, rules);
}

export function remoteState(row: SyncRow | undefined): RemoteState {
  if (row === undefined) return { kind: "never" };
  const { serverId, revision, version, contentSha256 } = row;
  return { kind: row.deleted ? "tombstone" : "live", serverId, revision, version, contentSha256 };
}

export function localState(entry: LocalEntry | undefined): LocalState {
  if (entry === undefined) return { kind: "absent" };
  return { kind: "content", version: entry.version, contentSha256: entry.contentSha256 };
}

function keysInOrder({ kinds }: SyncFindings, keys: readonly SyncKey[]): readonly SyncKey[] {
  return kinds.flatMap((kind) => {
    const ids = new Set(keys.flatMap((key) => (key.kind === kind ? [key.id] : [])));
    return [...ids].sort().map((id) => ({ kind, id }));
  });
}

/** One fault for each id that several items have. */
function duplicates(entries: readonly LocalEntry[]): readonly LocalFault[] {
  const places = new Map<string, { readonly entry: LocalEntry; readonly places: string[] }>();
  for (const entry of entries) {
    const known = places.get(syncKeyText(entry));
    if (known === undefined) places.set(syncKeyText(entry), { entry, places: [entry.place] });
    else known.places.push(entry.place);
  }
  return [...places.values()]
    .filter((found) => found.places.length > 1)
    .map(({ entry: { kind, id }, places: found }) => ({
      kind,
      id,
      item: id,
      field: "id",
      reason: `id ${id} stands in ${found.join(" and ")}; an id may stand in one place only`,
    }));
}
