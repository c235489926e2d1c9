import * as z from "zod/mini";

/**
 * The fields that a schema knows in the object at a path, in the schema's order; `undefined` where it has no object there or
 * one of several (a union). For messages about fields that it does not know.
 */
export function knownFields(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
): readonly string[] | undefined {
  let at: z.core.$ZodType | undefined = unwrapped(schema);
  for (const step of path) {
    at = memberOf(at, step);
    if (at === undefined) return undefined;
  }
  return at instanceof z.core.$ZodObject ? Object.keys(at._zod.def.shape) : undefined;
}

function memberOf(schema: z.core.$ZodType, step: PropertyKey): z.core.$ZodType | undefined {
  const member =
    schema instanceof z.core.$ZodObject
      ? schema._zod.def.shape[String(step)]
      : schema instanceof z.core.$ZodArray
        ? schema._zod.def.element
        : schema instanceof z.core.$ZodRecord
          ? schema._zod.def.valueType
          : undefined;
  return member === undefined ? undefined : unwrapped(member);
}

const unwrapped = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.core.$ZodOptional ? unwrapped(schema._zod.def.innerType) : schema;
