import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { EntryReply } from "#lib/api/plan-replies.ts";
import { netChanges } from "#lib/changeset/net-changes.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { ledgerExport } from "#lib/ledger/ledger-export.ts";
import type { LedgerBodyLine } from "#lib/ledger/ledger-line.ts";
import { connect } from "../connect.ts";
import { isVacant, type WrittenFile, writeTree } from "../files/write-tree.ts";
import { runNumber } from "../number-option.ts";
import { shownPath } from "../print-safely.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly run?: number;
  readonly out?: string;
  readonly ledger?: string;
  readonly force?: boolean;
}

export function addPlanArtifacts(plan: Command, session: Session): void {
  plan
    .command("artifacts")
    .description("write what a plan made: its changed files, its ledger")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--out <dir>", "write every file that the plan created or changed below this directory")
    .option("--ledger <file>", "write the signed ledger of all runs, as `verify --file` takes it")
    .option("--run <n>", "files of an earlier run", runNumber)
    .option("--force", "write into a directory that is not empty, over files that stand there")
    .option("--json", "print what was written as one JSON document")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        if (options.out === undefined && options.ledger === undefined) {
          throw new UsageError("say what to write: --out DIR, --ledger FILE, or both");
        }
        const client = await connect(session);
        const query = {
          planId,
          signal: session.signal,
          ...(options.run === undefined ? {} : { run: options.run }),
        };
        const out = options.out === undefined ? undefined : resolve(session.cwd, options.out);
        const files = out === undefined ? undefined : await writeFiles(client, query, { ...options, out });
        const ledger = options.ledger === undefined ? undefined : resolve(session.cwd, options.ledger);
        const records = ledger === undefined ? undefined : await writeLedger(client, query, ledger);
        return {
          json: () => ({
            planId,
            ...(out === undefined ? {} : { out, ...files }),
            ...(ledger === undefined ? {} : { ledger, records }),
          }),
          text: () =>
            [
              ...(files?.written ?? []).map(({ path }) => `${shownPath(path)}\n`),
              ...(files?.deleted ?? []).map(
                ({ path }) => `${shownPath(path)}  (deleted by the plan, not written)\n`,
              ),
              ...(files?.written.length === 0 ? ["no changed files\n"] : []),
              ...(ledger === undefined ? [] : [`${options.ledger}: ${records} records\n`]),
            ].join(""),
        };
      }),
    );
}

interface Query {
  readonly planId: string;
  readonly run?: number;
  readonly signal: AbortSignal;
}

interface Place {
  readonly resource: string;
  readonly path: string;
}

/** The last state of every path that the plan touched. */
async function writeFiles(
  client: PlanledgerClient,
  query: Query,
  target: { readonly out: string; readonly force?: boolean },
): Promise<{ readonly written: readonly Place[]; readonly deleted: readonly Place[] }> {
  if (target.force !== true && !(await isVacant(target.out))) {
    throw new UsageError(`${target.out} is not empty; use --force to write into it, or another directory`);
  }
  const entries: EntryReply[] = [];
  for await (const page of client.changeset(query)) entries.push(...page.entries);
  const files: WrittenFile[] = [];
  const written: Place[] = [];
  const deleted: Place[] = [];
  for (const resource of new Set(entries.map((entry) => entry.resource))) {
    for (const { path, after } of netChanges(entries, resource)) {
      if (after === undefined) {
        deleted.push({ resource, path });
        continue;
      }
      written.push({ resource, path });
      const content = { planId: query.planId, sha256: after.sha256, signal: query.signal };
      files.push({ path, mode: after.mode, read: () => client.planContent(content) });
    }
  }
  await writeTree(target.out, { files, overwrite: target.force === true });
  return { written, deleted };
}

/** The file that `verify --file` takes, written line by line. */
async function writeLedger(client: PlanledgerClient, query: Query, file: string): Promise<number> {
  let records = 0;
  async function* counted(): AsyncGenerator<LedgerBodyLine> {
    for await (const line of client.ledger({ planId: query.planId, signal: query.signal })) {
      if (line.kind === "record") records += 1;
      yield line;
    }
  }
  await writeFile(file, ledgerExport(counted()));
  return records;
}
