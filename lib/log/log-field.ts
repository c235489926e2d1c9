/**
 * All that a log record may hold, and nothing else reaches a log: names, ids, counts, durations, what failed. There is no
 * field for an input, an output, a path, a token or another secret, so none can get there by mistake.
 */
export const textFields = [
  "event",
  "level",
  "tenant",
  "planId",
  "decisionId",
  "requestId",
  "traceId",
  "messageId",
  "route",
  "outcome",
  "code",
  "queue",
  "schedule",
  "error",
  "message",
  "cause",
  "stack",
] as const;

export const numberFields = [
  "run",
  "status",
  "position",
  "durationMs",
  "receiveCount",
  "attempt",
  "hints",
  "messages",
] as const;

export type TextField = (typeof textFields)[number];
export type NumberField = (typeof numberFields)[number];
