import type { Guard } from "./guard-list.ts";

const watched = { test: "infra/local/observability.test.ts" } as const;

export const logGuards: readonly Guard[] = [
  {
    name: "only listed fields reach a log",
    file: "lib/log/json-lines-log.ts",
    find: "const line: Record<string, unknown> = { at: new Date(atEpochMs).toISOString(), ...fieldsOf(record) };",
    replace: "const line: Record<string, unknown> = { at: new Date(atEpochMs).toISOString(), ...record };",
    test: "lib/log/json-lines-log.test.ts",
  },
  {
    name: "messages that may quote a caller stay out of logs",
    file: "lib/log/fault-fields.ts",
    find: "const message = isOurs(error) ? { message: error.message } : {};",
    replace: "const message = { message: error.message };",
    test: "lib/log/fault-fields.test.ts",
  },
  {
    name: "a stack is logged without the message in its first lines",
    file: "lib/log/fault-fields.ts",
    find: 'return from === -1 ? "" : stack.slice(from);',
    replace: "return stack;",
    test: "lib/log/fault-fields.test.ts",
  },
  {
    name: "a trace header of another form is not taken",
    file: "functions/invocation.ts",
    find: "/^Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;[\\w=;.-]*)?$/",
    replace: "/^Root=(1-[0-9a-f]{8}-[0-9a-f]{24}.*)$/",
    ...watched,
  },
  {
    name: "a message carries the trace of what sent it",
    file: "functions/sqs-client.ts",
    find: "if (header === undefined) return message;",
    replace: "if (header !== undefined) return message;",
    ...watched,
  },
  {
    name: "a run's end is told from what moves it afterwards",
    file: "lib/run/logged-ends.ts",
    find: "hasMoved && endsNow(next)",
    replace: '"sealedSeq" in next.state || hasMoved',
    ...watched,
  },
];
