/** In CloudWatch; the one dimension is `service`, the name of a deploy. */
export const metricNamespace = "Planledger";

/** What is counted and timed, for dashboards and alarms: each metric with its CloudWatch unit. */
export const metricUnits = {
  requests: "Count",
  /** Answered with a 5xx. */
  requestFaults: "Count",
  /** Answered with a 429. */
  requestsLimited: "Count",
  requestMs: "Milliseconds",
  /** Messages that a handler gave back. */
  messageFaults: "Count",
  /** From sending to handling; delays that the sender asked for are in it. */
  messageAgeMs: "Milliseconds",
  deadLetters: "Count",
  runsCompleted: "Count",
  runsFailed: "Count",
  runsCancelled: "Count",
  /** From submission to seal. */
  runSeconds: "Seconds",
  decisionsLanded: "Count",
  decisionsFailed: "Count",
  decisionsSkipped: "Count",
  appliesLanded: "Count",
  appliesRefused: "Count",
  /** Hints that the reconciler sent for runs whose own were lost. */
  runsRescued: "Count",
} as const;

export type Metric = keyof typeof metricUnits;
export type Metrics = Readonly<Partial<Record<Metric, number>>>;
