/**
 * What every AWS client of the service is made with, as plain data. Time-outs are short and attempts few, since a worker
 * has a deadline and its message comes again; the SDK's own handler keeps connections alive. A client that polls a queue
 * for long needs a longer `requestTimeout`. Checksums of objects are left unread: whatever is read is held to its address,
 * and what a caller staged may not be what the caller promised, which must not look like an outage.
 */
export const awsClientSettings = {
  maxAttempts: 4,
  responseChecksumValidation: "WHEN_REQUIRED",
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/**
 * Further settings for an endpoint that is not AWS's own: S3 has the bucket in its path, SQS is addressed at the endpoint
 * whatever host a queue's address names. `endpoint` is any URL, HTTPS included.
 */
export function customEndpointSettings(endpoint: string) {
  return { endpoint, forcePathStyle: true, useQueueUrlAsEndpoint: false } as const;
}
