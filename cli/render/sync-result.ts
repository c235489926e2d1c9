import type { SyncResult } from "#lib/sync/sync-result.ts";
import type { SyncProblem, SyncSummary } from "#lib/sync/sync-summary.ts";
import type { Paint } from "../paint.ts";
import { oneLine } from "../print-safely.ts";
import { counted } from "./counted.ts";
import { table } from "./table.ts";

const columns = ["created", "updated", "skipped", "pulled", "deleted"] as const;

/** What a sync came to: a row for each kind, then what is in the way of which item, then what it cost. */
export function renderSyncResult({ total, byKind, hints }: SyncResult, paint: Paint): string {
  const row = (name: string, summary: SyncSummary): readonly string[] => [
    name,
    ...columns.map((column) => `${summary[column]}`),
    paint(summary.conflicts.length > 0 ? "yellow" : "dim", `${summary.conflicts.length}`),
    paint(summary.errors.length > 0 ? "red" : "dim", `${summary.errors.length}`),
  ];
  const kinds = Object.entries(byKind);
  const rows = [
    ["", ...columns, "conflicts", "errors"].map((cell) => paint("dim", cell)),
    ...kinds.map(([kind, summary]) => row(kind, summary)),
    ...(kinds.length > 1 ? [row("total", total)] : []),
  ];
  const cost = `${counted(total.requests, "request")}, ${counted(total.writes, "write")}`;
  return [
    table(rows),
    ...total.conflicts.map((problem) => `${paint("yellow", "conflict")}  ${told(problem)}\n`),
    ...total.errors.map((problem) => `${paint("red", "error")}  ${told(problem)}\n`),
    ...hints.map((problem) => `${paint("cyan", "hint")}  ${told(problem)}\n`),
    ...(total.conflicts.length > 0
      ? ["\nResolve a conflict in the file, or sync with --policy local_wins or --policy server_wins.\n"]
      : []),
    `${total.dryRun ? "Dry run: nothing was changed. " : ""}${paint("dim", cost)}\n`,
  ].join("");
}

const told = ({ kind, item, reason }: SyncProblem): string =>
  oneLine(reason.startsWith(item) ? `${kind ?? ""} ${reason}` : `${kind ?? ""} ${item}: ${reason}`, 1000);
