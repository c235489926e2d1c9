import { PlanledgerError, ValidationError } from "../../errors/planledger-error.ts";
import type { ResourceKind } from "../../resource/resource-store.ts";
import { readLocalItem } from "../local-entry.ts";
import type { LocalEntry, LocalFault } from "../local-items.ts";
import type { SyncItem } from "../sync-item.ts";
import { documentForm, type Members } from "./item-document.ts";
import { folderOf } from "./item-paths.ts";
import { type ItemText, readItemText } from "./item-text.ts";
import { projectDirectory } from "./project-directory.ts";
import type { ProjectTrees } from "./project-trees.ts";

export type FileReading =
  | {
      readonly status: "item";
      readonly entry: LocalEntry;
      readonly item: SyncItem;
      /** As the file says it. */
      readonly document: Members;
    }
  | { readonly status: "fault"; readonly fault: LocalFault };

/** One file as an item, or as a fault that names file and line. Of a project, the tree of its directory is looked up. */
export async function readItemFile(
  file: { readonly kind: ResourceKind; readonly path: string; readonly bytes: Uint8Array },
  trees: Pick<ProjectTrees, "hash">,
): Promise<FileReading> {
  const { kind, path } = file;
  const form = documentForm(kind);
  let text: ItemText;
  try {
    text = readItemText(kind, file.bytes);
  } catch (error) {
    return { status: "fault", fault: fileFault({ kind, path, error }) };
  }
  const { document, instructions } = text;
  const said = form.item(document, { folder: folderOf(path) });
  const skill = instructions === undefined ? {} : { instructions };
  const whole = typeof said === "object" && said !== null ? { ...said, ...skill } : said;
  const read = readLocalItem(kind, { place: path, document: whole });
  if (read.status === "fault") {
    const { field = "", reason } = read.fault;
    const steps = field === "" ? [] : form.where(field.split("/")[0] ?? "");
    const line = text.line(steps);
    const name = steps.join(".");
    const told =
      name !== field && reason.startsWith(`${field} `) ? name + reason.slice(field.length) : reason;
    return {
      status: "fault",
      fault: { ...read.fault, reason: `${place(path, line)}: ${told}`, field: name },
    };
  }
  if (kind !== "projects") return { ...read, document };
  return withTree({ ...read, document }, { path, text, trees });
}

/** A project as it is synced: its file says the directory, the item the tree in it. */
async function withTree(
  read: Extract<FileReading, { readonly status: "item" }>,
  about: {
    readonly path: string;
    readonly text: ItemText;
    readonly trees: Pick<ProjectTrees, "hash">;
  },
): Promise<FileReading> {
  const { item, document, entry } = read;
  const { path, text, trees } = about;
  const { id } = item;
  try {
    const { directory: _, ...members } = item;
    if (members.tree !== undefined) {
      const message = "tree is not for the file to say: it is that of the directory.";
      throw new ValidationError({ field: "tree", message });
    }
    const tree = await trees.hash(projectDirectory(document));
    const document_ = { ...members, tree, metadata: withServerId(item, entry.serverId) };
    const whole = readLocalItem("projects", { place: path, document: document_ });
    return whole.status === "fault" ? whole : { ...whole, document };
  } catch (error) {
    const field = error instanceof ValidationError ? error.field : "directory";
    const line = text.line([field]);
    return {
      status: "fault",
      fault: { ...fileFault({ kind: "projects", path, error, line }), id, item: id },
    };
  }
}

const withServerId = ({ metadata }: SyncItem, serverId: string | undefined): Members =>
  serverId === undefined ? metadata : { ...metadata, server_id: serverId };

const place = (path: string, line: number | undefined): string =>
  line === undefined ? path : `${path}:${line}`;

/** What kept a file from being read, with its line where that is known. Any other error is thrown on. */
export function fileFault(fault: {
  readonly kind: ResourceKind;
  readonly path: string;
  readonly error: unknown;
  readonly line?: number | undefined;
}): LocalFault {
  const { kind, path, error } = fault;
  if (!(error instanceof PlanledgerError)) throw error;
  const line = fault.line ?? error.details.line;
  const where = place(path, typeof line === "number" ? line : undefined);
  const field = error.details.field;
  return {
    kind,
    item: where,
    reason: `${where}: ${error.message}`,
    ...(typeof field === "string" && field !== "" ? { field } : {}),
  };
}
