import { priceList } from "#lib/service/price-list.ts";
import { workerTime } from "./usage.ts";

/** A price of somebody's public list, and how much of it one decision takes: from the least to what is usual. */
interface PeerLine {
  readonly what: string;
  readonly usdEach: number;
  readonly least: number;
  readonly usual: number;
}

/** Somebody else's service for the same work, with where its prices stand. Plans' monthly fees and free shares are left out. */
export interface Peer {
  readonly name: string;
  readonly source: string;
  /** When its prices were read. */
  readonly date: string;
  readonly lines: readonly PeerLine[];
  /** On top of the sum, for the support plan that the service is not sold without. */
  readonly surcharge?: number;
}

const once = (what: string, usdEach: number, units = 1): PeerLine => ({
  what,
  usdEach,
  least: units,
  usual: units,
});
const functionRequest = once("Lambda request", priceList.lambdaRequest);
const functionTime = once(
  "Lambda GB-seconds",
  priceList.lambdaGigabyteSecond,
  workerTime.seconds * workerTime.gigabytes,
);
/** 2 KB with what tells where it belongs, in an item of its own. */
const keptResult = once("DynamoDB write units for the 2 KB change", priceList.dynamodbWriteUnit, 3);

export const peers: readonly Peer[] = [
  {
    name: "Step Functions Standard",
    source: "https://aws.amazon.com/step-functions/pricing/",
    date: "2026-11-01",
    lines: [
      { what: "state transition", usdEach: 25e-6, least: 1, usual: 2 },
      functionRequest,
      functionTime,
      keptResult,
    ],
  },
  {
    name: "Step Functions Express, as children of a Distributed Map",
    source: "https://aws.amazon.com/step-functions/pricing/",
    date: "2026-11-01",
    lines: [
      once("Express request", 1e-6),
      once("Express GB-seconds, 100 ms of 64 MB", 0.00001667, 0.1 / 16),
      functionRequest,
      functionTime,
      keptResult,
    ],
  },
  {
    name: "Lambda durable functions",
    source: "https://aws.amazon.com/lambda/pricing/",
    date: "2026-11-01",
    lines: [
      { what: "durable operation", usdEach: 8e-6, least: 1, usual: 2 },
      once("GB written, 2 KB", 0.25, 2 / 1024 ** 2),
      functionRequest,
      functionTime,
    ],
  },
  {
    name: "Temporal Cloud",
    source: "https://docs.temporal.io/cloud/pricing",
    date: "2026-11-01",
    lines: [{ what: "action", usdEach: 50e-6, least: 1, usual: 3 }, functionRequest, functionTime],
    surcharge: 0.1,
  },
  {
    name: "Inngest",
    source: "https://www.inngest.com/pricing",
    date: "2026-11-01",
    lines: [{ what: "execution", usdEach: 50e-6, least: 1, usual: 2 }, functionRequest, functionTime],
  },
  {
    name: "Trigger.dev",
    source: "https://trigger.dev/pricing",
    date: "2026-11-01",
    lines: [
      once("run", 25e-6),
      once("seconds of small-1x (0.5 vCPU, 0.5 GB)", 0.0000338, workerTime.seconds),
    ],
  },
];

/** USD per 1,000,000 decisions. */
export function peerCost(peer: Peer): { readonly least: number; readonly usual: number } {
  const of = (amount: "least" | "usual"): number =>
    1e6 *
    (1 + (peer.surcharge ?? 0)) *
    peer.lines.reduce((sum, line) => sum + line[amount] * line.usdEach, 0);
  return { least: of("least"), usual: of("usual") };
}
