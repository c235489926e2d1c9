import type { ResourceKind } from "../../resource/resource-store.ts";
import { defaultName } from "../item-content.ts";
import type { SyncItem } from "../sync-item.ts";

export type Members = Readonly<Record<string, unknown>>;

/**
 * What a file says, and the item that this is. Actions and projects are items as they stand (name and metadata may be left
 * out); a tool is an MCP tool definition with id, version and server id in `_meta`; a skill's front matter has them in `metadata`,
 * with `local/` and its folder, and `1`, where it does not. The other way round, what a file left unsaid stays unsaid for as long as it is true.
 */
export interface DocumentForm {
  /** For `parseSyncItem`, which finds what is missing; the server's id is in `metadata.server_id`. */
  item(document: Members, place: { readonly folder: string }): unknown;
  document(
    item: SyncItem,
    about: { readonly serverId: string | undefined; readonly folder: string; readonly before: Members },
  ): Members;
  /** Where a member of the item stands in the file, as steps. */
  where(field: string): readonly string[];
}

export const documentForm = (kind: ResourceKind): DocumentForm => {
  switch (kind) {
    case "actions":
    case "projects":
      return plainForm;
    case "tools":
      return toolForm;
    case "skills":
      return skillForm;
    default:
      return kind satisfies never;
  }
};

const noted = (serverId: string | undefined): Members =>
  serverId === undefined ? {} : { server_id: serverId };

const plainForm: DocumentForm = {
  item: ({ ...members }) => ({ ...named(members), metadata: members.metadata ?? {} }),
  document({ id, name, version, metadata, ...others }, { serverId, before }) {
    const about = { ...metadata, ...noted(serverId) };
    return {
      id,
      ...(before.name === undefined && name === defaultName(id) ? {} : { name }),
      version,
      ...(before.metadata === undefined && isEmpty(about) ? {} : { metadata: about }),
      ...others,
    };
  },
  where: (field) => [field],
};

const toolForm: DocumentForm = {
  item({ _meta: said, metadata: given, ...definition }) {
    const [meta, metadata] = [said ?? {}, given ?? {}];
    if (!isMembers(meta)) return { ...definition, id: undefined };
    const { id, version, server_id, serverId, ...others } = meta;
    const known = server_id ?? serverId;
    return {
      ...named({ ...definition, id }),
      version,
      metadata: isMembers(metadata) && known !== undefined ? { ...metadata, server_id: known } : metadata,
      ...(isEmpty(others) ? {} : { _meta: others }),
    };
  },
  document({ id, name, version, metadata, _meta, ...others }, { serverId, before }) {
    const meta = { ...(isMembers(_meta) ? _meta : {}), id, version, ...noted(serverId) };
    return {
      name,
      ...others,
      _meta: meta,
      ...(before.metadata === undefined && isEmpty(metadata) ? {} : { metadata }),
    };
  },
  where: (field) => (field === "id" || field === "version" ? ["_meta", field] : [field]),
};

const skillForm: DocumentForm = {
  item({ metadata: given, ...members }, { folder }) {
    const metadata = given ?? {};
    if (!isMembers(metadata)) return { ...members, id: `local/${folder}`, version: "1", metadata };
    const { id = `local/${folder}`, version = "1", ...others } = metadata;
    return { ...named({ ...members, id }), version, metadata: others };
  },
  document({ id, name, version, metadata, instructions: _, ...others }, { serverId, folder, before }) {
    const said = isMembers(before.metadata) ? before.metadata : {};
    const about = {
      ...(said.id === undefined && id === `local/${folder.normalize("NFC")}` ? {} : { id }),
      ...(said.version === undefined && version === "1" ? {} : { version }),
      ...metadata,
      ...noted(serverId),
    };
    return {
      name,
      ...others,
      ...(before.metadata === undefined && isEmpty(about) ? {} : { metadata: about }),
    };
  },
  where: (field) => (field === "id" || field === "version" ? ["metadata", field] : [field]),
};

/** A name that is not said is the id's second part. */
function named<Document extends Members>(document: Document): Members {
  const { id, name } = document;
  return name === undefined && typeof id === "string" ? { ...document, name: defaultName(id) } : document;
}

const isEmpty = (members: object): boolean => Object.keys(members).length === 0;

export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
