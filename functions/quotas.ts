import { noQuotas, type Quotas } from "#lib/quota/no-quotas.ts";
import type { Clock } from "#lib/run/clock.ts";
import { type Environment, quotaEnvironment, readEnvironment, type TableEnvironment } from "./environment.ts";
import { loadedOnce } from "./loaded-once.ts";

/** The quotas that `QUOTAS` sets; what counts is loaded at the first request. */
export const wireQuotas = (environment: Environment, settings: TableEnvironment, clock: Clock): Quotas => {
  const { QUOTAS: document } = readEnvironment(quotaEnvironment, environment);
  if (document === "none") return noQuotas;
  const quotas = loadedOnce(async () =>
    (await import("./quotas-on-table.ts")).quotasOnTable(settings, document, clock),
  );
  return {
    requests: { admit: async (tenant) => (await quotas()).requests.admit(tenant) },
    submissions: { admit: async (order) => (await quotas()).submissions.admit(order) },
    content: { admit: async (order) => (await quotas()).content.admit(order) },
  };
};
