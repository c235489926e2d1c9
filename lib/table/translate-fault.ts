import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";

/** Requests that no second try can mend: ours to repair, never the outcome of a decision. */
const defects: ReadonlySet<string> = new Set([
  "ValidationException",
  "SerializationException",
  "InvalidParameterValue",
  "InvalidRequest",
]);

/**
 * A failure of the AWS SDK as an error of ours: a defect in a request is `internal`, everything else (throttles, outages,
 * time-outs, a missing table, expired credentials) is an `InfrastructureError`. `doing` completes "could not …". An error of
 * ours passes as it is.
 */
export function translateFault(fault: unknown, doing: string): PlanledgerError {
  if (fault instanceof PlanledgerError) return fault;
  const name = fault instanceof Error ? fault.name : "unknown fault";
  const text = fault instanceof Error ? fault.message : String(fault);
  if (defects.has(name)) {
    return new PlanledgerError({
      code: "internal",
      message: `Could not ${doing}: the request was refused as ${name}: ${text}`,
      cause: fault,
    });
  }
  return new InfrastructureError({ message: `Could not ${doing}: ${name}: ${text}`, cause: fault });
}
