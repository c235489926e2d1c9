import { documentFile, readDocumentFile } from "./document-file.ts";
import { parsePlanDocument } from "./parse-plan-document.ts";
import type { PlanDocument } from "./plan-document.ts";

/**
 * Reads a plan file: JSON when the name ends in `.json`, else YAML 1.2 (of which JSON is a part). Every refusal is a
 * `ValidationError` whose message begins with `file:line:column:`, and whose details hold `file`, `line` and `column` beside
 * the field's JSON pointer, whether the text or the plan was at fault. A byte order mark is taken for what it is.
 */
export const parsePlanFile = (source: string | Uint8Array, fileName: string): PlanDocument =>
  readDocumentFile(documentFile(source, fileName), parsePlanDocument);
