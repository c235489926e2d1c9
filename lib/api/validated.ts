import * as z from "zod/mini";
import { jsonPointer } from "../canonical/json-pointer.ts";
import { ValidationError } from "../errors/planledger-error.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

const unitOf = (origin: string): string => {
  if (origin === "string") return " characters";
  return origin === "array" ? " items" : "";
};

/** What zod says where a schema has no words of its own. */
const unworded = "Invalid input";

interface Problem {
  readonly path: Path;
  /** Goes on from the field's name. */
  readonly predicate: string;
}

const problemsOf = (issue: Issue, base: Path): readonly Problem[] => {
  const path = [...base, ...issue.path];
  switch (issue.code) {
    case "invalid_type":
      return [
        issue.input === undefined
          ? { path, predicate: `is missing; it must be of type ${issue.expected}` }
          : { path, predicate: `must be of type ${issue.expected}, not ${typeOf(issue.input)}` },
      ];
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: [...path, key],
        predicate: "is not a known field; check its spelling or leave it out",
      }));
    case "invalid_value":
      return [{ path, predicate: `must be one of ${issue.values.map(String).join(", ")}` }];
    case "too_big":
      return [{ path, predicate: `must be at most ${issue.maximum}${unitOf(issue.origin)}` }];
    case "too_small":
      return [{ path, predicate: `must be at least ${issue.minimum}${unitOf(issue.origin)}` }];
    case "invalid_format":
      return [
        {
          path,
          predicate:
            issue.message === unworded
              ? `has the wrong form; it must match ${issue.pattern ?? issue.format}`
              : issue.message,
        },
      ];
    case "invalid_union": {
      if ("options" in issue && Array.isArray(issue.options))
        return [{ path, predicate: `must be one of ${issue.options.map(String).join(", ")}` }];
      const [nearest] = [...issue.errors].sort((one, other) => one.length - other.length);
      const problems = (nearest ?? []).flatMap((inner) => problemsOf(inner, path));
      return problems.length > 0 ? problems : [{ path, predicate: "has none of the forms allowed here" }];
    }
    default:
      return [{ path, predicate: issue.message === unworded ? "is not valid" : issue.message }];
  }
};

/**
 * The value as the schema knows it. Throws a `ValidationError` for the first thing that is wrong, with all of them (up to
 * 20) under `details.problems`. `part` says whether fields are JSON pointers into a body or names of parameters.
 */
export const validated = <Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  part: "body" | "parameter" = "body",
): z.output<Schema> => {
  const result = z.safeParse(schema, value, { reportInput: true });
  if (result.success) return result.data;
  const problems = result.error.issues
    .flatMap((issue) => problemsOf(issue, []))
    .map(({ path, predicate }) => {
      const field = part === "body" ? jsonPointer(path.map(String)) : path.map(String).join(".");
      return { field, message: `${field === "" ? "The body" : field} ${predicate}.` };
    });
  const [first = { field: "", message: "The body is not valid." }, ...others] = problems;
  throw new ValidationError({
    field: first.field,
    message: first.message,
    ...(others.length > 0 ? { details: { problems: problems.slice(0, 20) } } : {}),
  });
};
