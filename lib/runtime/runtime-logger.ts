/** Where the classes in process tell of faults that do not end the run. */
export interface RuntimeLogger {
  error(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** Standard error: what an actor without a logger of the caller's writes to. */
export const consoleLogger: RuntimeLogger = {
  error: (message, details) => console.error(message, details),
};
