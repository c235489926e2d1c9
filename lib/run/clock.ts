/** Milliseconds since the epoch; comes in from the handler's entry. */
export interface Clock {
  now(): number;
}

/** New ULIDs; comes in from the handler's entry. */
export interface IdSource {
  ulid(): string;
}
