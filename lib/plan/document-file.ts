import { assertJsonValue } from "../canonical/assert-json-value.ts";
import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { planLimits } from "./plan-limits.ts";
import { readYaml } from "./read-yaml.ts";
import { yamlPositions } from "./yaml-position.ts";

/** A file that holds a plan or a part of one, with what it is called in messages. */
export interface DocumentFile {
  readonly text: string;
  readonly fileName: string;
}

/** A byte order mark is taken for what it is; bytes that are not UTF-8 are a `ValidationError`. */
export function documentFile(source: string | Uint8Array, fileName: string): DocumentFile {
  const text = typeof source === "string" ? source : decodeUtf8(source, fileName);
  return { text: text.startsWith("\ufeff") ? text.slice(1) : text, fileName };
}

/**
 * Hands the value in a file to `read`: JSON when the name ends in `.json`, else YAML 1.2 (of which JSON is a part). Refusals
 * are placed, see `placedInFile`.
 */
export const readDocumentFile = <Result>(file: DocumentFile, read: (value: unknown) => Result): Result =>
  placedInFile(file, () =>
    read(isJsonFile(file.fileName) ? parseStrictJson(file.text) : yamlValue(file.text)),
  );

/**
 * Runs a check of what a file holds. The message of a `ValidationError` then begins with `file:line:column:`, and its details
 * hold `file`, `line` and `column`, also of each of its `issues`.
 */
export function placedInFile<Result>(file: DocumentFile, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const positionOf = yamlPositions(file.text);
    const { line, column } = statedPosition(error) ?? positionOf(error.field) ?? { line: 1, column: 1 };
    const { issues } = error.details;
    throw new ValidationError({
      code: error.code,
      field: error.field,
      message: `${file.fileName}:${line}:${column}: ${error.message.replace(/^Line \d+, column \d+(?: \([^)]*\))?: /, "")}`,
      details: {
        ...error.details,
        ...(Array.isArray(issues) ? { issues: issues.map((issue) => placedIssue(issue, positionOf)) } : {}),
        file: file.fileName,
        line,
        column,
      },
      cause: error,
    });
  }
}

function placedIssue(issue: unknown, positionOf: ReturnType<typeof yamlPositions>): unknown {
  if (typeof issue !== "object" || issue === null || !("field" in issue)) return issue;
  return { ...issue, ...positionOf(String(issue.field)) };
}

function statedPosition(
  error: ValidationError,
): { readonly line: number; readonly column: number } | undefined {
  const { line, column } = error.details;
  return typeof line === "number" && typeof column === "number" ? { line, column } : undefined;
}

const isJsonFile = (fileName: string): boolean => fileName.toLowerCase().endsWith(".json");

function yamlValue(text: string): unknown {
  const value = readYaml(text);
  assertJsonValue(value, { maxDepth: planLimits.jsonDepth });
  return value;
}

function decodeUtf8(bytes: Uint8Array, fileName: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ValidationError({
      code: isJsonFile(fileName) ? "malformed_json" : "validation_failed",
      field: "",
      message: `${fileName}:1:1: The file is not valid UTF-8. Save it as UTF-8.`,
      details: { file: fileName, line: 1, column: 1 },
      cause,
    });
  }
}
