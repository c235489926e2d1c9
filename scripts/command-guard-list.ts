import type { Guard } from "./guard-list.ts";

const command = { test: "cli/command-line.test.ts" } as const;
const action = { test: "cli/execute-action.test.ts" } as const;

/** Guards of the command line. */
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
    name: "command: validate knows the tools of the checkout",
    file: "cli/checkout-tools.ts",
    find: 'await local.read(["tools"]);',
    replace: "await local.read([]);",
    ...command,
    testName: "tools of the checkout",
  },
];
