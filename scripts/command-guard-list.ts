import type { Guard } from "./guard-list.ts";

const command = { test: "cli/command-line.test.ts" } as const;
const settings = { test: "infra/cdk/deploy-settings.test.ts" } as const;
const action = { test: "cli/execute-action.test.ts" } as const;

/** Guards of the command line, and of the scripts that deploy. */
export const commandGuards: readonly Guard[] = [
  {
    name: "command: arguments that an action refuses are wrong usage",
    file: "cli/plan-of-action.ts",
    find: "if (!(error instanceof ValidationError)) throw error;",
    replace: "throw error;",
    ...action,
    testName: "command line is said",
  },
  {
    name: "command: what is no action's id is not sent",
    file: "cli/plan-of-action.ts",
    find: "if (!resourceId.safeParse(id).success) {",
    replace: 'if (id === "") {',
    ...action,
    testName: "no action's id",
  },
  {
    name: "command: a directory is told as it was named",
    file: "cli/upload-directory.ts",
    find: "await sourceTree(directory, named);",
    replace: "await sourceTree(directory);",
    ...action,
    testName: "command line is said",
  },
  {
    name: "command: a structure can be given where the schema names no type",
    file: "lib/resource/typed-arguments.ts",
    find: 'if (types.length === 0) return parsedAs(text, ["array", "object"]) ?? text;',
    replace: "if (types.length === 0) return text;",
    test: "lib/resource/plan-from-action.test.ts",
    testName: "typed text",
  },
  {
    name: "command: a watch goes on where it was",
    file: "cli/watch-plan.ts",
    find: "          cursor = page.cursor;",
    replace: "",
    test: "cli/watch-plan.test.ts",
  },
  {
    name: "command: a watch waits so long and no longer",
    file: "cli/patience.ts",
    find: "      if (left === 0) {",
    replace: "      if (left < 0 && seconds < 0) {",
    test: "cli/watch-plan.test.ts",
  },
  {
    name: "command: a service that came back may be away for as long again",
    file: "cli/patience.ts",
    find: "      left = undefined;",
    replace: "",
    test: "cli/watch-plan.test.ts",
  },
  {
    name: "command: contents are read several at once",
    file: "cli/files/read-ahead.ts",
    find: "begun.length < ahead;",
    replace: "begun.length < 1;",
    test: "cli/files/read-ahead.test.ts",
  },
  {
    name: "command: an apply to a directory asks what the project demands",
    file: "cli/apply/apply-to-directory.ts",
    find: "  await requireProjectsProfile({ client, session }, status);",
    replace: "",
    test: "cli/apply-to-directory.test.ts",
    testName: "no way around",
  },
  {
    name: "command: a directory in a file's place is told as that",
    file: "lib/apply/node-directory-files.ts",
    find: "if (found?.isDirectory() !== true) return error;",
    replace: "if (found !== null) return error;",
    test: "lib/apply/make-directories.test.ts",
  },
  {
    name: "command: a path in the service's URL is hinted at",
    file: "lib/client/http-transport.ts",
    find: 'if (pathname === "/" || error.details.reason',
    replace: 'if (pathname !== "" || error.details.reason',
    test: "lib/client/planledger-client.test.ts",
    testName: "a route that is nowhere",
  },
  {
    name: "command: validate knows the tools of the checkout",
    file: "cli/checkout-tools.ts",
    find: 'await local.read(["tools"]);',
    replace: "await local.read([]);",
    ...command,
    testName: "tools of the checkout",
  },
  {
    name: "deploy: a name that no setting has is refused",
    file: "infra/cdk/deploy-settings.ts",
    find: "    ...unknownNames(app)",
    replace: "    ...unknownNames(app).slice(99)",
    ...settings,
    testName: "no setting has",
  },
  {
    name: "deploy: a setting that is wrong is told with what is allowed",
    file: "lib/errors/known-fields.ts",
    find: " || schema instanceof $ZodDefault",
    replace: "",
    test: "cli/quota.test.ts",
    testName: "says what is wrong",
  },
  {
    name: "deploy: the app ends without a trace of where it read its context",
    file: "infra/cdk/app.ts",
    find: "if (!(fault instanceof ValidationError)) throw fault;",
    replace: "throw fault;",
    ...settings,
    testName: "nothing else",
  },
];
