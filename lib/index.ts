export type { PlanledgerClient, PlanledgerClientOptions } from "./client/planledger-client.ts";
export { planledgerClient } from "./client/planledger-client.ts";
