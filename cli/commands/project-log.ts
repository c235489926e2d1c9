import type { Command } from "commander";
import type { ProjectRevisionsReply } from "#lib/api/resource-requests.ts";
import { connect } from "../connect.ts";
import { wholeNumber } from "../number-option.ts";
import { printable } from "../print-safely.ts";
import { moment } from "../render/moment.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly limit: number;
}

export function addProjectLog(project: Command, session: Session): void {
  project
    .command("log")
    .description("a project's revisions, the newest first, with the plan and changeset that made each")
    .argument("<id>", "namespace/name")
    .option("--limit <n>", "how many at most", wholeNumber({ minimum: 1, maximum: 100_000 }), 20)
    .option("--json", "print them as one JSON document")
    .action((id: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const revisions: ProjectRevisionsReply["revisions"] = [];
        const query = { limit: Math.min(options.limit, 100), signal: session.signal };
        for await (const revision of client.projects.revisions(id, query)) {
          revisions.push(revision);
          if (revisions.length >= options.limit) break;
        }
        return {
          json: () => ({ id, revisions }),
          text: (paint) =>
            table(
              revisions.map((one) => [
                `${one.revision}`,
                paint("dim", moment(one.updatedAt)),
                one.deleted ? paint("red", "deleted") : `tree ${one.gitTreeId ?? ""}`,
                `by ${printable(one.updatedBy)}`,
                one.planId === undefined ? "" : `plan ${one.planId}`,
                one.changesetDigest === undefined ? "" : paint("dim", one.changesetDigest.slice(0, 12)),
              ]),
            ),
        };
      }),
    );
}
