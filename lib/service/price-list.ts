/**
 * AWS prices in USD, us-east-1, on demand, as published on `date`: what counted units would have cost. Free tiers and
 * transfer are left out.
 */
export const priceList = {
  date: "2026-11-01",
  dynamodbWriteUnit: 0.625e-6,
  dynamodbReadUnit: 0.125e-6,
  sqsRequest: 0.4e-6,
  lambdaRequest: 0.2e-6,
  /** arm64. */
  lambdaGigabyteSecond: 0.0000133334,
  s3PutRequest: 5e-6,
  s3GetRequest: 0.4e-6,
  /** HTTP API. */
  gatewayRequest: 1e-6,
  /** Ingested. */
  logGigabyte: 0.5,
} as const;
