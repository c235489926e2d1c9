import { contentQuota } from "#lib/quota/content-quota.ts";
import { dynamodbQuotaStore } from "#lib/quota/dynamodb-quota-store.ts";
import type { Quotas } from "#lib/quota/no-quotas.ts";
import { limitsOfTenant, type QuotaDocument } from "#lib/quota/quota-document.ts";
import { requestQuota } from "#lib/quota/request-quota.ts";
import { submissionQuota } from "#lib/quota/submission-quota.ts";
import type { Clock } from "#lib/run/clock.ts";
import { dynamodbOpenRuns } from "#lib/run/dynamodb-open-runs.ts";
import { dynamodbClient } from "./aws-clients.ts";
import type { TableEnvironment } from "./environment.ts";

/** Quotas that are counted in the service's table. */
export const quotasOnTable = (settings: TableEnvironment, document: QuotaDocument, clock: Clock): Quotas => {
  const table = { client: dynamodbClient(settings), tableName: settings.TABLE_NAME };
  const ports = {
    store: dynamodbQuotaStore(table),
    limitsOf: (tenant: string) => limitsOfTenant(document, tenant),
    clock,
  };
  return {
    requests: requestQuota(ports),
    submissions: submissionQuota({ ...ports, openRuns: dynamodbOpenRuns(table) }),
    content: contentQuota(ports),
  };
};
