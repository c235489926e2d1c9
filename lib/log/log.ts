import type { NumberField, TextField } from "./log-field.ts";
import type { Metrics } from "./metric.ts";

type Fields = { readonly [Name in TextField]?: string | undefined } & {
  readonly [Name in NumberField]?: number | undefined;
};

/** What happened, for operators. Never inputs, outputs, tokens or other secrets: there is no field for them. */
export interface LogRecord extends Fields {
  readonly level: "info" | "warn" | "error";
  /** Snake case, stable: what queries and alarms look for. */
  readonly event: string;
  /** What this record counts and times. */
  readonly metrics?: Metrics | undefined;
}

/** Structured logs. `write` neither throws nor waits. */
export interface Log {
  write(record: LogRecord): void;
}

/** For tests and libraries that want none. */
export const silentLog: Log = { write() {} };
