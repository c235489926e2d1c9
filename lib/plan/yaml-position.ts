import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { jsonPointerSteps } from "../canonical/json-pointer.ts";

/** Counted from 1. */
export interface YamlPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * Answers where the field that a JSON pointer names stands in a YAML or JSON text: its key, or the element of a list; where
 * there is none, the nearest thing around it. `undefined` for a text that cannot be read at all. Only for error messages: it
 * reads the text anew, once for all that is asked.
 */
export function yamlPositions(text: string): (field: string) => YamlPosition | undefined {
  const lineCounter = new LineCounter();
  const document = parseLeniently(text, lineCounter);
  if (document === undefined) return () => undefined;
  return (field) => {
    const offset = offsetOf(document, field);
    if (offset === undefined) return undefined;
    const { line, col: column } = lineCounter.linePos(offset);
    return { line, column };
  };
}

function offsetOf(document: Document, field: string): number | undefined {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const step of jsonPointerSteps(field)) {
    const member = memberOf(isAlias(node) ? node.resolve(document) : node, step);
    if (member === undefined) break;
    offset = startOf(member.key) ?? startOf(member.value) ?? offset;
    node = member.value;
  }
  return offset;
}

function parseLeniently(text: string, lineCounter: LineCounter): Document | undefined {
  try {
    return parseDocument(text, { lineCounter, logLevel: "silent", uniqueKeys: false });
  } catch {
    return undefined;
  }
}

function memberOf(
  node: unknown,
  step: string,
): { readonly key?: unknown; readonly value: unknown } | undefined {
  if (isSeq(node)) {
    const value: unknown = node.items[Number(step)];
    return value === undefined ? undefined : { value };
  }
  if (!isMap(node)) return undefined;
  return node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
