// By name: `z.core` as a value would bring all of the library into every bundle.
import { $ZodArray, $ZodDefault, $ZodObject, $ZodOptional, $ZodRecord, type $ZodType } from "zod/v4/core";

/**
 * The fields that a schema knows in the object at a path, in the schema's order; `undefined` where it has no object there or
 * one of several (a union). For messages about fields that it does not know.
 */
export function knownFields(schema: $ZodType, path: readonly PropertyKey[]): readonly string[] | undefined {
  let at: $ZodType | undefined = unwrapped(schema);
  for (const step of path) {
    at = memberOf(at, step);
    if (at === undefined) return undefined;
  }
  return at instanceof $ZodObject ? Object.keys(at._zod.def.shape) : undefined;
}

function memberOf(schema: $ZodType, step: PropertyKey): $ZodType | undefined {
  const member =
    schema instanceof $ZodObject
      ? schema._zod.def.shape[String(step)]
      : schema instanceof $ZodArray
        ? schema._zod.def.element
        : schema instanceof $ZodRecord
          ? schema._zod.def.valueType
          : undefined;
  return member === undefined ? undefined : unwrapped(member);
}

const unwrapped = (schema: $ZodType): $ZodType =>
  schema instanceof $ZodOptional || schema instanceof $ZodDefault
    ? unwrapped(schema._zod.def.innerType)
    : schema;
