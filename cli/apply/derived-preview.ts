import type { DerivedPageReply, DerivedReply } from "#lib/api/apply-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import type { Paint } from "../paint.ts";
import { printable, shownPath } from "../print-safely.ts";
import { counted } from "../render/counted.ts";
import { diffPaths, diffPieces } from "../render/diff-pieces.ts";
import { type DiffStat, diffStatOf, diffStatText } from "../render/diff-stat.ts";
import { table } from "../render/table.ts";
import type { Session } from "../session.ts";

/** A derived changeset as somebody reviews it: what it is, what it changes, and what to do with it. */
export interface DerivedPreview {
  readonly derived: DerivedReply;
  readonly diffStat: readonly DiffStat[];
  /** Commands that come next, in order: approve (under `review`), then apply or roll back. */
  readonly next: readonly string[];
}

/** Reads what a derived changeset does. Nothing is applied. */
export async function previewDerived(
  { client, session }: { readonly client: PlanledgerClient; readonly session: Session },
  derived: DerivedReply,
  options: { readonly allowFailed?: boolean | undefined } = {},
): Promise<DerivedPreview> {
  const { planId, digest, kind } = derived;
  const { signal } = session;
  const entries: DerivedPageReply["entries"] = [];
  for await (const page of client.derived({ planId, digest, signal })) entries.push(...page.entries);
  const pages: Uint8Array[] = [];
  for await (const page of client.derivedDiff({ planId, digest, signal })) pages.push(page);
  const pieces = diffPieces(Buffer.concat(pages), diffPaths(entries));
  const { automationProfile } = await client.planStatus({ planId, signal });
  const allowFailed = options.allowFailed === true && kind !== "rollback" ? " --allow-failed" : "";
  const command = kind === "rollback" ? "rollback" : "apply";
  return {
    derived,
    diffStat: pieces.map(diffStatOf),
    next: [
      ...(automationProfile === "review" ? [`planledger plan approve ${planId} --digest ${digest}`] : []),
      `planledger plan ${command} ${planId} --digest ${digest}${allowFailed}`,
    ],
  };
}

export const previewJson = ({ derived, diffStat, next }: DerivedPreview) => ({
  ...derived,
  diffStat,
  next,
});

export function previewText({ derived, diffStat, next }: DerivedPreview, paint: Paint): string {
  const { planId, digest } = derived;
  return [
    sourceText(derived, paint),
    diffStatText(diffStat, paint),
    effectsText(derived, paint),
    "\n",
    table([
      [paint("dim", "digest"), digest],
      [paint("dim", "review it"), `planledger plan diff ${planId} --digest ${digest}`],
      ...next.map((command) => [paint("dim", verbOf(command)), command]),
    ]),
  ].join("");
}

const verbOf = (command: string): string => {
  if (command.includes(" approve ")) return "then somebody else";
  return command.includes(" rollback ") ? "roll back" : "apply it";
};

/** What a rollback undoes; which decisions a partial one takes: those asked for, and those that they need. */
function sourceText({ kind, of, only = [], added = [] }: DerivedReply, paint: Paint): string {
  if (kind === "rollback") return `undoes ${of}\n\n`;
  if (kind !== "partial") return "";
  const rows = added.map(({ decisionId, neededBy, because }) => [
    `  ${paint("yellow", "+")} ${decisionId}`,
    because.kind === "depends_on"
      ? `${neededBy} depends on it`
      : `${neededBy} works on ${shownPath(because.path)}, which it wrote`,
  ]);
  const sum = added.length === 0 ? "needs no other decision" : `${counted(added.length, "decision")} added`;
  return `${only.map(printable).join(", ")}: ${sum}\n${table(rows)}\n`;
}

function effectsText({ externalEffects = [] }: DerivedReply, paint: Paint): string {
  if (externalEffects.length === 0) return "";
  const rows = externalEffects.map(({ decisionId, callOrdinal, tool, outcome }) => [
    `  ${decisionId}`,
    `call ${callOrdinal}`,
    printable(tool),
    outcome === "unknown" ? "outcome unknown" : outcome,
  ]);
  return `\n${paint("yellow", "It can not undo what was done outside:")}\n${table(rows)}`;
}
