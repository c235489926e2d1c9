import { isDeepStrictEqual } from "node:util";
import { isMap, isScalar, parseDocument } from "yaml";
import { ValidationError } from "../../errors/planledger-error.ts";
import { readYaml } from "../../plan/read-yaml.ts";
import { yamlPositions } from "../../plan/yaml-position.ts";
import type { ResourceKind } from "../../resource/resource-store.ts";
import { editYaml } from "./edit-yaml.ts";
import { isMembers, type Members } from "./item-document.ts";
import { joinSkillText, splitSkillText } from "./skill-text.ts";

/** A file's text, taken apart. Positions are lines of the file, counted from 1. */
export interface ItemText {
  readonly document: Members;
  /** Of a skill: the Markdown below the front matter, with lines that end in LF; `undefined` when there is none. */
  readonly instructions: string | undefined;
  line(steps: readonly string[]): number | undefined;
}

/** Throws `ValidationError`; `details.line` where that is known. */
export function readItemText(kind: ResourceKind, bytes: Uint8Array): ItemText {
  const { text } = decoded(bytes);
  if (kind !== "skills") return { ...yamlPart(text, 0), instructions: undefined };
  const parts = splitSkillText(text);
  if (parts === undefined) {
    throw new ValidationError({
      field: "",
      message: "A SKILL.md must begin with YAML front matter, between two lines ---.",
      details: { line: 1 },
    });
  }
  const { frontMatter, instructions } = parts;
  return { ...yamlPart(frontMatter, 1), instructions: instructions === "" ? undefined : instructions };
}

/** The file with what it is to say; what it says already keeps its form: comments, order, line ends, a byte order mark. */
export function editItemText(
  kind: ResourceKind,
  bytes: Uint8Array,
  wanted: { readonly document: Members; readonly instructions: string | undefined },
): Uint8Array {
  const { text, crlf, mark } = decoded(bytes);
  const edited = (() => {
    if (kind !== "skills") return editDocument(text, wanted.document);
    const { frontMatter, gap } = splitSkillText(text) ?? { frontMatter: "", gap: "\n" as const };
    return joinSkillText({
      frontMatter: editDocument(frontMatter, wanted.document),
      gap: text === "" || bodyOf(text) === "" ? "\n" : gap,
      instructions: wanted.instructions ?? "",
    });
  })();
  return Buffer.from(mark + (crlf ? edited.replaceAll("\n", "\r\n") : edited));
}

/** A version that is a number stays as it is written, or becomes a text where what is around it must be written anew. */
function editDocument(text: string, wanted: Members): string {
  const edited = editYaml(text, said(text, wanted));
  const again: unknown = readYaml(edited);
  const kept = isMembers(again) && isDeepStrictEqual(withWrittenVersions(edited, again), wanted);
  return kept ? edited : editYaml(text, wanted);
}

const bodyOf = (text: string): string => splitSkillText(text)?.instructions ?? "";

const byteOrderMark = "\uFEFF";

function decoded(bytes: Uint8Array): {
  readonly text: string;
  readonly crlf: boolean;
  readonly mark: string;
} {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ValidationError({ field: "", message: "The file is no UTF-8 text.", cause });
  }
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = text.slice(mark.length);
  const endings = lines.match(/\r?\n/g) ?? [];
  const crlf = endings.filter((ending) => ending === "\r\n").length * 2 > endings.length;
  return { text: lines.replaceAll("\r\n", "\n"), crlf, mark };
}

/** Versions as they are written: `1.10` without quotes is a number to YAML, and would be 1.1. */
const versionPaths = [["version"], ["_meta", "version"], ["metadata", "version"]] as const;

function yamlPart(text: string, linesAbove: number): Pick<ItemText, "document" | "line"> {
  let value: unknown;
  try {
    value = readYaml(text);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { line } = error.details;
    const at = typeof line === "number" ? line : yamlPositions(text)(error.field)?.line;
    const details = at === undefined ? {} : { line: at + linesAbove };
    throw new ValidationError({ field: error.field, message: error.message, details, cause: error });
  }
  if (!isMembers(value)) {
    throw new ValidationError({
      field: "",
      message: "The file must hold a YAML mapping (name: value).",
      details: { line: 1 + linesAbove },
    });
  }
  const position = (steps: readonly string[]) => {
    const pointer = steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    const line = yamlPositions(text)(pointer)?.line;
    return line === undefined ? undefined : line + linesAbove;
  };
  return { document: withWrittenVersions(text, value), line: position };
}

function withWrittenVersions(text: string, value: Members): Members {
  const numeric = versionPaths.filter(([first, second]) => {
    const outer = value[first];
    return typeof (second === undefined ? outer : isMembers(outer) ? outer[second] : undefined) === "number";
  });
  if (numeric.length === 0) return value;
  const document = parseDocument(text, { version: "1.2", schema: "core", logLevel: "silent" });
  let changed = value;
  for (const path of numeric) {
    const node: unknown = isMap(document.contents) ? document.contents.getIn(path, true) : undefined;
    const source = isScalar(node) ? node.source : undefined;
    // Infinity, or a number in another base, is nobody's version.
    if (source === undefined || !/^\d+(?:\.\d+)?$/.test(source)) continue;
    const [first, second] = path;
    const outer = changed[first];
    changed = {
      ...changed,
      [first]: second === undefined ? source : { ...(isMembers(outer) ? outer : {}), [second]: source },
    };
  }
  return changed;
}

/** A version that the file writes as a number stays one while it is the same. */
function said(text: string, wanted: Members): Members {
  if (text.trim() === "") return wanted;
  const current: unknown = readYaml(text);
  if (!isMembers(current)) return wanted;
  const written = withWrittenVersions(text, current);
  let kept = wanted;
  for (const [first, second] of versionPaths) {
    const [was, is, next] = [current[first], written[first], kept[first]];
    if (second === undefined) {
      if (typeof was === "number" && is === next) kept = { ...kept, [first]: was };
    } else if (isMembers(was) && isMembers(is) && isMembers(next)) {
      if (typeof was[second] === "number" && is[second] === next[second]) {
        kept = { ...kept, [first]: { ...next, [second]: was[second] } };
      }
    }
  }
  return kept;
}
