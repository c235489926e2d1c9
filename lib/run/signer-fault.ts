import { InfrastructureError, type PlanledgerError } from "../errors/planledger-error.ts";
import { translateFault } from "../table/translate-fault.ts";

/** Refusals that last until an operator mends them, whichever service keeps the key. */
const refusals: ReadonlySet<string> = new Set([
  "AccessDeniedException",
  "NotFoundException",
  "DisabledException",
  "KMSInvalidStateException",
  "InvalidArnException",
  "InvalidKeyUsageException",
  "UnsupportedOperationException",
  "ParameterNotFound",
  "InvalidKeyId",
]);

/**
 * A failure to reach or use the signing key. A refusal is `signing_refused` and says what to grant or mend; like throttles and
 * outages it is an `InfrastructureError`, since nothing that a caller sent is at fault and work waits until it is mended. The
 * service's own words, which name accounts and roles, stand in the cause alone: callers see the message.
 */
export function signerFault(
  fault: unknown,
  { doing, remedy }: { readonly doing: string; readonly remedy: string },
): PlanledgerError {
  if (!(fault instanceof Error) || !refusals.has(fault.name)) return translateFault(fault, doing);
  return new InfrastructureError({
    code: "signing_refused",
    message: `Could not ${doing}: ${fault.name}. ${remedy}`,
    cause: fault,
  });
}
