/** Milliseconds since the epoch; comes in from the handler's entry. */
export interface Clock {
  now(): number;
}

/** New ULIDs; comes in from the handler's entry. */
export interface IdSource {
  ulid(): string;
}

/** Calls back after a while; `cancel` makes sure that it will not. Heartbeats of long decisions use it. */
export interface Timer {
  after(delayMs: number, callback: () => void): { cancel(): void };
}
