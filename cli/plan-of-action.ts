import { InvalidArgumentError } from "commander";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { NotFoundError, ValidationError } from "#lib/errors/planledger-error.ts";
import { parsePlanDocument } from "#lib/plan/parse-plan-document.ts";
import { type ActionDefinition, actionDefinitionOfItem } from "#lib/resource/action-definition.ts";
import { planFromAction } from "#lib/resource/plan-from-action.ts";
import { resourceId } from "#lib/resource/resource-id.ts";
import { typedArguments } from "#lib/resource/typed-arguments.ts";
import { projectResourceName, withProjectTree } from "./plan-project.ts";
import type { Session } from "./session.ts";
import { uploadDirectory } from "./upload-directory.ts";
import { UsageError } from "./usage-error.ts";

/** `NAME=VALUE` of a command line; the value may be empty, and may hold further `=`. */
export type ArgumentText = readonly [name: string, text: string];

const argumentText = (text: string): ArgumentText => {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new InvalidArgumentError("It must be NAME=VALUE.");
};

/** Gathers `--arg` that is given again and again. */
export const collectArguments = (
  text: string,
  before: readonly ArgumentText[] = [],
): readonly ArgumentText[] => [...before, argumentText(text)];

/**
 * What is submitted for an action: its id, the arguments in the types that its schema gives them, and the uploaded tree of
 * the project. The plan is made by the service; here it is made too, so that what is wrong is said before anything is sent.
 */
export async function planOfAction(
  context: { readonly session: Session; readonly client: PlanledgerClient },
  order: {
    readonly action: string;
    readonly args: readonly ArgumentText[];
    readonly project: string | undefined;
  },
): Promise<Readonly<Record<string, unknown>>> {
  const definition = await readAction(context, order.action);
  const { args, plan } = onCommandLine(() => {
    const typed = typedArguments(definition, order.args);
    return { args: typed, plan: planFromAction({ action: definition, args: typed }) };
  });
  const document = parsePlanDocument(plan);
  const body = { action: order.action, args };
  if (order.project === undefined) return body;
  const name = projectResourceName(document);
  const { tree } = await uploadDirectory(context, order.project);
  const resource = withProjectTree(document, tree).projectResources?.[name];
  return { ...body, projectResources: { [name]: resource } };
}

async function readAction(
  { session, client }: { readonly session: Session; readonly client: PlanledgerClient },
  id: string,
): Promise<ActionDefinition> {
  if (!resourceId.safeParse(id).success) {
    throw new UsageError(
      `--action ${JSON.stringify(id)} is no action's id: actions are named namespace/name, as in local/rename`,
    );
  }
  const { results } = await client.sync.batch(
    { operations: [{ op: "get", kind: "actions", id }] },
    session.signal,
  );
  const [result] = results;
  if (result?.status === "found") return { ...actionDefinitionOfItem(result.item), name: id };
  throw new NotFoundError({
    code: "not_found",
    message: `The service has no action ${JSON.stringify(id)}. Actions are named namespace/name, as in local/rename; planledger sync brings those of your files there.`,
  });
}

/** Arguments that are missing, of the wrong type or refused by the action's schema are wrong usage: they stand on the command line. */
function onCommandLine<Result>(make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new UsageError(error.message.replace(/\.$/, ""), { cause: error });
  }
}
