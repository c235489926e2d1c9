import * as z from "zod/mini";
import { validationErrorOf, validationIssues } from "../errors/validation-issue.ts";

const listedIssues = 20;

/**
 * The value as the schema knows it. Throws a `ValidationError` for the first thing that is wrong, with all of them (up to
 * 20) under `details.issues`. `part` says whether fields are JSON pointers into a body or names of parameters.
 */
export const validated = <Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  part: "body" | "parameter" = "body",
): z.output<Schema> => {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const issues = validationIssues(result.error.issues, { value, schema });
  throw validationErrorOf(
    part === "body" ? issues : issues.map((issue) => ({ ...issue, field: issue.field.slice(1) })),
    listedIssues,
  );
};
