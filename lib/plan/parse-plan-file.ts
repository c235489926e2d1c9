import { assertJsonValue } from "../canonical/assert-json-value.ts";
import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { parsePlanDocument } from "./parse-plan-document.ts";
import type { PlanDocument } from "./plan-document.ts";
import { planLimits } from "./plan-limits.ts";
import { readYaml } from "./read-yaml.ts";
import { type YamlPosition, yamlPosition } from "./yaml-position.ts";

/**
 * Reads a plan file: JSON when the name ends in `.json`, else YAML 1.2 (of which JSON is a part). Every refusal is a
 * `ValidationError` whose message begins with `file:line:column:`, and whose details hold `file`, `line` and `column` beside
 * the field's JSON pointer, whether the text or the plan was at fault. A byte order mark is taken for what it is.
 */
export function parsePlanFile(source: string | Uint8Array, fileName: string): PlanDocument {
  const text = withoutByteOrderMark(typeof source === "string" ? source : decodeUtf8(source, fileName));
  return located({ text, fileName }, () => {
    const value = isJsonFile(fileName) ? parseStrictJson(text) : yamlValue(text);
    return parsePlanDocument(value);
  });
}

const isJsonFile = (fileName: string): boolean => fileName.toLowerCase().endsWith(".json");

function yamlValue(text: string): unknown {
  const value = readYaml(text);
  assertJsonValue(value, { maxDepth: planLimits.jsonDepth });
  return value;
}

function located<Result>(
  file: { readonly text: string; readonly fileName: string },
  read: () => Result,
): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const position = positionIn(error) ?? yamlPosition(file.text, error.field);
    const { line, column } = position ?? { line: 1, column: 1 };
    throw new ValidationError({
      code: error.code,
      field: error.field,
      message: `${file.fileName}:${line}:${column}: ${error.message.replace(/^Line \d+, column \d+(?: \([^)]*\))?: /, "")}`,
      details: { ...error.details, file: file.fileName, line, column },
      cause: error,
    });
  }
}

function positionIn(error: ValidationError): YamlPosition | undefined {
  const { line, column } = error.details;
  return typeof line === "number" && typeof column === "number" ? { line, column } : undefined;
}

const withoutByteOrderMark = (text: string): string => (text.startsWith("\ufeff") ? text.slice(1) : text);

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
