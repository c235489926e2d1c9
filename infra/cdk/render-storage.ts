import { Duration, RemovalPolicy, type Stack, Validations } from "aws-cdk-lib";
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import type { Topology } from "../topology-shape.ts";
import type { DeploySettings } from "./deploy-settings.ts";

export interface RenderedStorage {
  readonly table: TableV2;
  readonly bucket: Bucket;
}

/** The table and the content bucket: encrypted, private, kept when the stack goes; only `staged/` ever expires. */
export function renderStorage(stack: Stack, topology: Topology, settings: DeploySettings): RenderedStorage {
  const removalPolicy = settings.retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
  const { partitionKey, sortKey, indexes } = topology.table;
  const key = (name: string) => ({ name, type: AttributeType.STRING });
  const table = new TableV2(stack, "Table", {
    tableName: settings.name,
    partitionKey: key(partitionKey),
    sortKey: key(sortKey),
    billing: Billing.onDemand(),
    timeToLiveAttribute: topology.table.expiryAttribute,
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: settings.retainData,
    removalPolicy,
    globalSecondaryIndexes: indexes.map((index) => ({
      indexName: index.name,
      partitionKey: key(index.partitionKey),
      sortKey: key(index.sortKey),
      projectionType: ProjectionType.KEYS_ONLY,
    })),
  });
  const { stagedPrefix, stagedExpiryDays } = topology.bucket;
  const bucket = new Bucket(stack, "Content", {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    removalPolicy,
    lifecycleRules: [
      { id: "staged-content", prefix: stagedPrefix, expiration: Duration.days(stagedExpiryDays) },
      { id: "unfinished-uploads", abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });
  Validations.of(bucket).acknowledge({
    id: "AwsSolutions-S1",
    reason:
      "Only the service's functions reach it, each call by tenant and hash; CloudTrail data events tell more where it is wanted.",
  });
  return { table, bucket };
}
