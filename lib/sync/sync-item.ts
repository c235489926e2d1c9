import * as z from "zod/mini";
import { jsonPointer } from "../canonical/json-pointer.ts";
import { resourceId } from "../resource/resource-id.ts";

/**
 * An action, skill, tool or project as its file says it: four members that every kind has, and the kind's own. `metadata` may
 * hold the server's id as `serverId` (`server_id` in files). Plain JSON data.
 */
export interface SyncItem {
  /** `namespace/name`, in NFC once it is parsed. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

export type ParsedItem =
  | { readonly kind: "item"; readonly item: SyncItem; readonly serverId: string | undefined }
  | { readonly kind: "invalid"; readonly field: string; readonly reason: string };

const text = (maximum: number) =>
  z
    .string("must be a text")
    .check(
      z.normalize("NFC"),
      z.minLength(1, "must not be empty"),
      z.maxLength(maximum, `must not be longer than ${maximum} characters`),
    );

const dots = /(?:^|\/)\.{1,2}(?:\/|$)/;

const itemShape = z.looseObject({
  id: resourceId.check(z.refine((id) => !dots.test(id), "must not have '.' or '..' as a part")),
  name: text(256),
  version: text(128),
  metadata: z.record(z.string(), z.unknown()),
});

const required = {
  id: { type: "string", expected: "namespace/name, such as local/rename" },
  name: { type: "string", expected: "a text" },
  version: { type: "string", expected: 'a text such as "1.0"' },
  metadata: { type: "object", expected: "an object; {} will do" },
} as const;

/** Members of `metadata` that belong to the sync and not to the item. */
const serverIdMembers = ["serverId", "server_id"] as const;

/** Takes the server's id out of the metadata, and puts id and name into NFC. The first broken rule names its field. */
export function parseSyncItem(value: unknown): ParsedItem {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      kind: "invalid",
      field: "",
      reason: "an item must be an object with id, name, version and metadata",
    };
  }
  for (const [field, { type, expected }] of Object.entries(required)) {
    const found: unknown = Reflect.get(value, field);
    const problem =
      found === undefined || found === null ? "is missing" : found === "" ? "is empty" : undefined;
    if (problem !== undefined) {
      return { kind: "invalid", field, reason: `${field} ${problem}; it must be ${expected}` };
    }
    if (typeof found !== type) {
      return { kind: "invalid", field, reason: `${field} is ${shown(found)}; it must be ${expected}` };
    }
  }
  const parsed = itemShape.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue === undefined ? "" : jsonPointer(issue.path).slice(1);
    return { kind: "invalid", field, reason: `${field} ${issue?.message ?? "is not valid"}` };
  }
  const { metadata, ...rest } = parsed.data;
  const given = serverIdMembers.map((member) => metadata[member]).find((id) => typeof id === "string");
  const own = Object.entries(metadata).filter(([member]) => !isServerIdMember(member));
  return {
    kind: "item",
    item: { ...rest, metadata: Object.fromEntries(own) },
    serverId: typeof given === "string" && given !== "" ? given : undefined,
  };
}

const shown = (value: unknown): string =>
  typeof value === "object"
    ? Array.isArray(value)
      ? "a list"
      : "an object"
    : `the ${typeof value} ${String(value).slice(0, 40)}`;

const isServerIdMember = (member: string): boolean => serverIdMembers.some((known) => known === member);
