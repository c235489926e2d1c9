/** What happened, for operators: names, ids, counts, durations. Never inputs, outputs, tokens or other secrets. */
export interface LogRecord {
  readonly level: "info" | "warn" | "error";
  /** Snake case, stable: what dashboards count. */
  readonly event: string;
  readonly tenant?: string | undefined;
  readonly planId?: string | undefined;
  readonly run?: number | undefined;
  readonly decisionId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly [name: string]: string | number | boolean | undefined;
}

/** Structured logs. `write` neither throws nor waits. */
export interface Log {
  write(record: LogRecord): void;
}

/** For tests and libraries that want none. */
export const silentLog: Log = { write() {} };
