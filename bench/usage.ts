import { priceList } from "#lib/service/price-list.ts";
import type { CountedService } from "../test/slow/counted-service.testkit.ts";
import { type UsedUnits, unitsOf } from "../test/slow/wire-units.testkit.ts";

/** Billed units of some work, counted between the service and what it runs on. */
export interface Usage extends UsedUnits {
  /** Requests that came through the gateway; each is an invocation, and one of the authorizer unless that is remembered. */
  readonly gatewayRequests: number;
  readonly logBytes: number;
}

/** What 50 ms at 512 MB each decision are, by the definition of the budget. */
export const workerTime = { seconds: 0.05, gigabytes: 0.5 } as const;
/** A request's function: assumed, since no emulator can tell. */
export const httpTime = { seconds: 0.1, gigabytes: 1 } as const;
/** The lines START, END and REPORT, which the platform logs for each invocation. */
const platformLogBytes = 400;

/** Counts from now on; `stop` gives what came since. */
export function startCounting(service: Pick<CountedService, "wire" | "logged">): { stop(): Usage } {
  const [calls, lines] = [service.wire.calls.length, service.logged.length];
  return {
    stop() {
      const used = unitsOf(service.wire.calls.slice(calls));
      const records = service.logged.slice(lines);
      const gatewayRequests = records.filter(({ event }) => event === "request").length;
      const ownBytes = records.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)), 0);
      return {
        ...used,
        gatewayRequests,
        logBytes: ownBytes + platformLogBytes * (used.invocations + gatewayRequests),
      };
    },
  };
}

/** One line of the arithmetic: so many units for one of what is counted, at so much each. */
export interface CostLine {
  readonly name: string;
  readonly units: number;
  readonly usdEach: number;
}

/** What `count` of something cost, by the price list; `seconds` of worker time each. */
export function costLines(
  usage: Usage,
  { count, seconds }: { readonly count: number; readonly seconds: number },
): readonly CostLine[] {
  const each = (units: number): number => units / count;
  const gigabyte = 1024 ** 3;
  return [
    { name: "write units", units: each(usage.writeUnits), usdEach: priceList.dynamodbWriteUnit },
    { name: "read units", units: each(usage.readUnits), usdEach: priceList.dynamodbReadUnit },
    { name: "queue requests", units: each(usage.queueRequests), usdEach: priceList.sqsRequest },
    { name: "function requests, worker", units: each(usage.invocations), usdEach: priceList.lambdaRequest },
    {
      name: "function GB-seconds, worker",
      units: seconds * workerTime.gigabytes,
      usdEach: priceList.lambdaGigabyteSecond,
    },
    { name: "gateway requests", units: each(usage.gatewayRequests), usdEach: priceList.gatewayRequest },
    {
      name: "function requests, HTTP and authorizer",
      units: 2 * each(usage.gatewayRequests),
      usdEach: priceList.lambdaRequest,
    },
    {
      name: "function GB-seconds, HTTP",
      units: each(usage.gatewayRequests) * httpTime.seconds * httpTime.gigabytes,
      usdEach: priceList.lambdaGigabyteSecond,
    },
    { name: "object puts", units: each(usage.objectPuts), usdEach: priceList.s3PutRequest },
    { name: "object gets", units: each(usage.objectGets), usdEach: priceList.s3GetRequest },
    { name: "log GB", units: each(usage.logBytes) / gigabyte, usdEach: priceList.logGigabyte },
  ];
}

export const usdPerMillion = (lines: readonly CostLine[]): number =>
  1e6 * lines.reduce((sum, { units, usdEach }) => sum + units * usdEach, 0);
