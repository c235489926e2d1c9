import { PlanledgerError } from "../../errors/planledger-error.ts";
import { secretMinimumChars } from "../../secrets/secret-store.ts";
import { ToolError } from "../tool-error.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";
import { type Redaction, redaction } from "./redaction.ts";
import { secretNames, withSecrets } from "./secret-reference.ts";
import { externalResponseBytes, type ToolDefinition } from "./tool-definition.ts";

/** A call of a tool that runs elsewhere, its secrets filled in: nothing of it may be recorded but through `redaction`. */
export interface PreparedExternalCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly redaction: Redaction;
  readonly maxResponseBytes: number;
}

/**
 * Looks the tool's secrets up, now, and lays the definition's part over the caller's input. Only the definition can refer to
 * secrets: `secret:NAME` in what a caller sends stays text.
 */
export const prepareCall = async (
  { name, run }: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
  ports: ExternalToolPorts,
): Promise<PreparedExternalCall> => {
  const taken = Object.keys(run.input ?? {}).find((member) => Object.hasOwn(input, member));
  if (taken !== undefined) {
    throw new ToolError({
      code: "input_invalid",
      message: `The input's ${JSON.stringify(taken)} is given by the definition of the tool ${JSON.stringify(name)} itself; leave it out.`,
      details: { field: `/${taken}` },
    });
  }
  const secrets = new Map<string, string>();
  for (const secret of secretNames([run.headers, run.input])) {
    secrets.set(secret, await lookUp(ports, { tool: name, secret }));
  }
  return {
    url: new URL(run.url),
    headers: headersOf(run.headers, secrets),
    input: { ...input, ...mapMembers(run.input, secrets) },
    redaction: redaction(secrets.values()),
    maxResponseBytes: run.maxResponseBytes ?? externalResponseBytes.standard,
  };
};

const lookUp = async (
  { secrets, tenant }: ExternalToolPorts,
  { tool, secret }: { readonly tool: string; readonly secret: string },
): Promise<string> => {
  const asked = `The tool ${JSON.stringify(tool)} needs the secret ${secret}`;
  const found = await readSecret(secrets, { tenant, name: secret, asked });
  if (found === undefined) {
    throw new ToolError({
      code: "secret_missing",
      message: `${asked}, which the operator of the service has not set for this tenant; nothing was sent.`,
      details: { secret },
    });
  }
  if (found.length < secretMinimumChars) {
    throw new ToolError({
      code: "secret_unavailable",
      message: `${asked}, which has fewer than ${secretMinimumChars} characters: it could not be told from ordinary text and kept out of the records; nothing was sent.`,
      details: { secret },
    });
  }
  return found;
};

/** An outage of the store is an outcome here: nothing was sent, and a repeated call would find the intent of this one. */
const readSecret = async (
  secrets: ExternalToolPorts["secrets"],
  { asked, ...key }: { readonly tenant: string; readonly name: string; readonly asked: string },
): Promise<string | undefined> => {
  try {
    return await secrets.get(key);
  } catch (cause) {
    const reason = cause instanceof PlanledgerError ? ` ${cause.message}` : "";
    throw new ToolError({
      code: "secret_unavailable",
      message: `${asked}, which cannot be read now; nothing was sent.${reason}`,
      details: { secret: key.name },
      cause,
    });
  }
};

const headersOf = (
  headers: Readonly<Record<string, string>> = {},
  secrets: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> => {
  const filled: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = String(withSecrets(value, secrets));
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
      throw new ToolError({
        code: "secret_unavailable",
        message: `The header ${name} refers to a secret that cannot stand in a header (a line break, perhaps at its end); nothing was sent.`,
        details: { header: name },
      });
    }
    filled[name] = text;
  }
  return filled;
};

const mapMembers = (
  input: Readonly<Record<string, unknown>> = {},
  secrets: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name, withSecrets(value, secrets)]));
