import type { RunUnits } from "../run/frontier.ts";
import { priceList } from "./price-list.ts";

/** Of the worker, as the topology gives it. */
const workerGigabytes = 0.5;

/** Plan and its pointer, run and frontier, and the frontier's index entry. */
const submissionWriteUnits = 5;
const submissionInvocationMs = 50;

/** Frontier, plan and run, strongly consistent, by each invocation, and the steps since the last checkpoint now and then. */
const readUnitsPerInvocation = 4;

export interface RunCost {
  readonly costUsd: number;
  /** Billed units by name. */
  readonly units: Readonly<Record<string, number>>;
  readonly priceListDate: string;
}

/** What the counted work of a plan's runs would cost on AWS, its submission included. Each hint is sent, received and deleted. */
export const runCost = (runs: readonly RunUnits[]): RunCost => {
  const sum = (unit: (units: RunUnits) => number): number =>
    runs.reduce((total, units) => total + unit(units), 0);
  const hints = sum((units) => units.hints) + 1;
  const invocations = sum((units) => units.invocations);
  const units = {
    dynamodbWriteUnits:
      submissionWriteUnits + sum((run) => run.stepWriteUnits) + sum((run) => run.frontierMoves),
    dynamodbReadUnits: readUnitsPerInvocation * (invocations + 1),
    sqsRequests: 3 * hints,
    lambdaRequests: invocations + 1,
    lambdaGigabyteSeconds: ((sum((run) => run.workMs) + submissionInvocationMs) / 1000) * workerGigabytes,
    s3PutRequests: sum((run) => run.contentPuts),
  };
  const costUsd =
    units.dynamodbWriteUnits * priceList.dynamodbWriteUnit +
    units.dynamodbReadUnits * priceList.dynamodbReadUnit +
    units.sqsRequests * priceList.sqsRequest +
    units.lambdaRequests * priceList.lambdaRequest +
    units.lambdaGigabyteSeconds * priceList.lambdaGigabyteSecond +
    units.s3PutRequests * priceList.s3PutRequest;
  return { costUsd: Number(costUsd.toPrecision(6)), units, priceListDate: priceList.date };
};
